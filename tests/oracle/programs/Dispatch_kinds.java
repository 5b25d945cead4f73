// Virtual, interface, special and static calls; abstract classes, super chains, default methods, monomorphic to megamorphic.
public class Dispatch_kinds {
    interface Shape { double area(); default double doubled() { return scale(area()); } static double unit() { return 1; } private double scale(double d) { return d * 2; } }
    static abstract class Base implements Shape {
        protected double side;
        Base(double side) { this.side = init(side); }
        double init(double s) { return s; }
        public abstract double area();
        @Override public String toString() { return name() + ":" + (int) area(); }
        String name() { return "base"; }
    }
    static class Square extends Base {
        Square(double s) { super(s); }
        @Override public double area() { return side * side; }
        @Override String name() { return "square/" + super.name(); }
    }
    static class Cube extends Square {
        Cube(double s) { super(s + Shape.unit()); }
        @Override double init(double s) { return super.init(s) + 0.5; }
        @Override public double area() { return 6 * super.area(); }
        @Override public double doubled() { return super.doubled() + 1; }
    }
    static class Circle extends Base {
        Circle() { this(1); }
        Circle(int r) { super(r); }
        @Override public double area() { return 3 * side * side; }
    }
    enum Op implements Shape {
        A { @Override public double area() { return ordinal(); } }, B { @Override public double area() { return -1; } @Override double more() { return super.more() * 3; } };
        double more() { return area() + 10; }
    }
    static double sum(Shape[] ss, int n) {
        double d = 0;
        for (int i = 0; i < n; i++) d += ss[i % ss.length].area() + ss[i % ss.length].doubled();
        return d;
    }
    public static void main(String[] args) {
        Shape[] one = {new Square(2)}, two = {new Square(1), new Circle()}, many = {new Square(1), new Cube(2), new Circle(3), Op.A, Op.B, () -> 5, new Shape() { public double area() { return 7; } }};
        double d = sum(one, 50) + sum(two, 60) + sum(many, 140);
        StringBuilder sb = new StringBuilder();
        for (Shape s : many) if (s instanceof Base b) sb.append(b.name()).append(b).append(' ');
        for (Op o : Op.values()) d += o.more();
        System.out.println(d + " " + sb);
    }
}
