// Closures, builders, metaprogramming, GStrings, collections, categories, traits, regular expressions.
import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import groovy.transform.Immutable
import groovy.xml.MarkupBuilder

@Immutable class Point { int x, y; Point plus(Point o) { new Point(x + o.x, y + o.y) } }
trait Named { String name = 'none'; String hello() { "hello $name" } }
class Dog implements Named { def propertyMissing(String n) { "no $n" } }

println new Point(1, 2) + new Point(3, 4)
def d = new Dog(name: 'rex')
println d.hello() + ', ' + d.wings
def words = 'the quick brown fox jumps over the lazy dog the end'.split(' ').toList()
println words.countBy { it }.findAll { k, v -> v > 1 || k.size() == 5 }.sort { it.key }
println words.groupBy { it.size() }.collectEntries { k, v -> [k, v.unique(false).join('+')] }.sort()
println((1..10).findAll { it % 2 }.inject(0) { a, b -> a * 10 + b })
def (a, b) = [3, 5]
println "sum ${a + b} ${-> a * b} ${[1, 2, 3]*.multiply(2)}"
println(('x=1, y=22' =~ /(\w)=(\d+)/).collect { it[1] + it[2] })
println 'abc'.each { print it.toUpperCase() + ' ' }
Integer.metaClass.twice = { -> delegate * 2 }
println 21.twice()
println 10.0 / 4 + 1.1G + 2 ** 70
switch ('word') { case ~/w.*/: println 'matches'; break; default: println 'no' }
println JsonOutput.toJson([k: [1, 2.5, null, true], s: 'x"y'])
println new JsonSlurper().parseText('{"a":[1,{"b":"c"}]}').a[1].b
def sw = new StringWriter()
new MarkupBuilder(sw).list(size: 2) { item('one'); item(id: 7, 'two & three') }
println sw
def fact
fact = { n -> n < 2 ? 1G : n * fact(n - 1) }
println fact(25)
def memo = { n -> n < 2 ? n : owner.call(n - 1) + owner.call(n - 2) }
int fib(int n) { n < 2 ? n : fib(n - 1) + fib(n - 2) }
println "fib ${fib(16)}"
try { null.foo() } catch (NullPointerException e) { println e.message }
try { assert 1 + 1 == 3 } catch (AssertionError e) { println e.message.readLines()[0] }
try { 'x'.nothing(1) } catch (MissingMethodException e) { println e.message.readLines()[0] }
def list = []
use(groovy.time.TimeCategory) { list << 3.days.days }
println list + ((Object[]) [1, [2, 3]]).flatten()
println evaluate('[1, 2, 3].sum { it * it }')
def t = Thread.start { println 'in a thread' }
t.join()
long h = 0
for (int i = 0; i < 20000; i++) h = (h * 31 + i) % 1000003
println "hash $h"
