// Objects, closures, regular expressions, exceptions, generators, JSON, sorting, Java access.
function Shape(name) { this.name = name; }
Shape.prototype.area = function () { return 0; };
Shape.prototype.toString = function () { return this.name + " " + this.area().toFixed(3); };
function Circle(r) { Shape.call(this, "circle"); this.r = r; }
Circle.prototype = new Shape();
Circle.prototype.area = function () { return Math.PI * this.r * this.r; };
function Box(w, h) { Shape.call(this, "box"); this.w = w; this.h = h; }
Box.prototype = new Shape();
Box.prototype.area = function () { return this.w * this.h; };
print([new Circle(2), new Box(3, 4.5), new Circle(0.1)].join("; "));

function primes(n) {
    var sieve = [], found = [];
    for (var i = 2; i <= n; i++) {
        if (sieve[i]) continue;
        found.push(i);
        for (var j = i * i; j <= n; j += i) sieve[j] = true;
    }
    return found;
}
var p = primes(20000);
print(p.length + " primes, last " + p[p.length - 1]);

function counter() { var n = 0; return { next: function () { return ++n; } }; }
var a = counter(), b = counter();
a.next(); a.next(); b.next();
print(a.next() + " " + b.next());

var text = "The quick brown fox jumps over the lazy dog; the dog sleeps, the fox runs.";
var words = {};
text.toLowerCase().replace(/[a-z]+/g, function (w) { words[w] = (words[w] || 0) + 1; return w; });
print(Object.keys(words).sort(function (x, y) { return words[y] - words[x] || (x < y ? -1 : 1); })
    .map(function (w) { return w + "=" + words[w]; }).join(" "));
print(text.match(/(\w+) (?=fox)/g), text.split(/[;,.]\s*/).length, text.replace(/(\w+) dog/, "$1 cat"));

try { null.x; } catch (e) { print(e instanceof TypeError); }
try { throw { code: 42 }; } catch (e) { print("caught " + e.code); } finally { print("finally"); }
print(JSON.stringify({ a: [1, 2.5, "x\n", null], b: { c: true }, d: undefined }));
print(JSON.parse("[1,{\"k\":\"v\"},-1.5e3]")[1].k);

var s = 0;
for (var i = 0; i < 300000; i++) s = (s * 31 + i) % 1000003;
print("hash " + s);
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
print("fib " + fib(20));
print([3, 10, 1, 2].sort(), [3, 10, 1, 2].sort(function (x, y) { return x - y; }), 0.1 + 0.2, 1 / 3, 1e21, -0);

var list = new java.util.ArrayList();
for each (var w in ["pear", "apple", "fig"]) list.add(w);
java.util.Collections.sort(list, new java.util.Comparator({ compare: function (x, y) { return y.compareTo(x); } }));
print(list);
var sb = new java.lang.StringBuilder();
sb.append("x").append(java.lang.Integer.valueOf(7)).append(true);
print(sb.toString(), java.lang.Long.MAX_VALUE, java.lang.Math.floorMod(-7, 3));
var r = new java.lang.Runnable({ run: function () { print("in run"); } });
var t = new java.lang.Thread(r); t.start(); t.join();
try { java.lang.Integer.parseInt("x"); } catch (e) { print(e.javaException.getMessage()); }
print(eval("(function(x){return x*x})(12)"), typeof eval, isNaN(parseFloat("z")), parseInt("ff", 16));
let (q = 5) { print(q * 2); }
print([x * x for each (x in [1, 2, 3, 4]) if (x % 2)]);
