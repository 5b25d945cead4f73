// Inner, local and anonymous classes: outer fields, captured variables, shadowing, qualified this.
import java.util.ArrayList;
import java.util.List;

public class Inner_capturing {
    int x = 1;
    private int secret = 42;
    private static int counter;

    class A {
        int x = 2;
        class B {
            int x = 3;
            String show() {
                return x + " " + this.x + " " + A.this.x + " " + Inner_capturing.this.x + " " + secret++;
            }
        }
        private int hidden() { return x * 100 + Inner_capturing.this.secret; }
    }

    static class Base {
        Base() { init(); }
        void init() { System.out.println("Base.init"); }
    }

    interface Shape { double area(); default String text() { return "area=" + area(); } }

    List<Runnable> makers(int n) {
        List<Runnable> out = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            final int k = i;
            final long wide = 1L << (i + 40);
            class Local implements Runnable {
                int times;
                public void run() {
                    times++;
                    counter += k * times;
                    System.out.println("local " + k + " " + wide + " " + times + " " + x);
                }
            }
            Local l = new Local();
            out.add(l);
            out.add(new Runnable() {
                { counter += 1000; }
                public void run() { l.run(); secret += k; }
            });
        }
        return out;
    }

    static String captureBeforeSuper(int v) {
        Base b = new Base() {
            int own = 5;
            @Override void init() { System.out.println("captured " + v + " own " + own); }
        };
        b.init();
        return b.getClass().getName();
    }

    public static void main(String[] args) {
        Inner_capturing o = new Inner_capturing();
        Inner_capturing.A a = o.new A();
        Inner_capturing.A.B b = a.new B();
        System.out.println(b.show());
        System.out.println(b.show() + " " + a.hidden());
        for (Runnable r : o.makers(3)) r.run();
        System.out.println(counter + " " + o.secret);
        System.out.println(captureBeforeSuper(9));
        Shape s = new Shape() { public double area() { return 2.5; } };
        System.out.println(s.text());
        Shape t = () -> 7;
        System.out.println(t.text());
        int[] box = {0};
        Runnable bump = () -> box[0] += 3;
        bump.run();
        bump.run();
        System.out.println(box[0]);
        try {
            Inner_capturing none = null;
            none.new A();
        } catch (NullPointerException e) {
            System.out.println("NPE on outer");
        }
    }
}
