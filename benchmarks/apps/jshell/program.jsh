int x = 6 * 7
String greet(String n) { return "hello " + n; }
greet("jshell")
record Point(int x, int y) { double length() { return Math.sqrt(x * x + y * y); } }
new Point(3, 4).length()
import java.util.stream.*
IntStream.rangeClosed(1, 10).filter(i -> i % 2 == 1).boxed().collect(Collectors.toList())
for (int i = 0; i < 3; i++) {
    System.out.println("line " + i);
}
int twice(int n) { return helper(n) + n; }
int helper(int n) { return n; }
twice(x)
int bad = "text";
undefined + 1
1 / 0
var list = new ArrayList<String>(List.of("b", "a"))
Collections.sort(list)
list
sealed interface S permits A {}
final class A implements S {}
x = x + 1
/vars
/methods
/types
String y = null
y.length()
enum Color { RED, GREEN }
Color.valueOf("GREEN").ordinal()
ProcessHandle.current().children().count()
/list
/exit 3
