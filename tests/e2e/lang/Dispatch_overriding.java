// Virtual dispatch: private, final, static hiding, field hiding, package access, super chains.
public class Dispatch_overriding {
    static class A {
        String name = "A.field";
        static String st() { return "A.static"; }
        private String priv() { return "A.private"; }
        String callPriv() { return priv(); }
        String v() { return "A.v"; }
        String callV() { return v(); }
        final String fin() { return "A.final/" + v(); }
        Object co() { return "A.co"; }
        String over(Object o) { return "A.Object"; }
        String over(String s) { return "A.String"; }
        protected int depth() { return 1; }
    }
    static class B extends A {
        String name = "B.field";
        static String st() { return "B.static"; }
        private String priv() { return "B.private"; }
        @Override String v() { return "B.v>" + super.v(); }
        @Override String co() { return "B.co"; }
        @Override String over(Object o) { return "B.Object"; }
        String both() { return name + "," + super.name + "," + ((A) this).name; }
        @Override protected int depth() { return super.depth() + 1; }
    }
    static class C extends B {
        @Override String v() { return "C.v>" + super.v(); }
        String over(Integer i) { return "C.Integer"; }
        @Override protected int depth() { return super.depth() * 10; }
    }
    static abstract class Shape {
        abstract double area();
        public String toString() { return getClass().getSimpleName() + ":" + area(); }
    }
    static class Sq extends Shape { final double s; Sq(double s) { this.s = s; } double area() { return s * s; } }
    static class Ci extends Shape { double area() { return 3; } }

    public static void main(String[] args) {
        A[] as = {new A(), new B(), new C()};
        for (A a : as) {
            System.out.println(a.name + " " + a.callPriv() + " " + a.v() + " " + a.callV() + " " + a.fin() + " " + a.co()
                + " " + a.over("s") + " " + a.over((Object) "s") + " " + a.over(5) + " " + a.depth());
        }
        System.out.println(new C().over(5) + new C().both() + A.st() + B.st() + C.st());
        Shape[] shapes = new Shape[100];
        for (int i = 0; i < shapes.length; i++) shapes[i] = i % 3 == 0 ? new Ci() : i % 3 == 1 ? new Sq(i) : new Shape() { double area() { return 0.5; } };
        double sum = 0;
        for (int r = 0; r < 20; r++) for (Shape s : shapes) sum += s.area();
        System.out.println(sum + " " + shapes[0] + shapes[1] + shapes[2]);
        Object[] objects = {"str", 5, 'c', new int[0].getClass(), new StringBuilder("sb"), 2.5, true};
        int h = 0;
        for (Object o : objects) if (!(o instanceof Class) && !(o instanceof StringBuilder)) h = h * 31 + o.hashCode();
        for (Object o : objects) System.out.print(o + ";");
        System.out.println(h);
    }
}
