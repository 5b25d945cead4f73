// stderr: ignore

// The exception of Thread.stop arrives within a `try`, however short, not only after it: in the interpreter, in
// compiled code, at the call in it and at its backedge.
@SuppressWarnings("removal")
public class Stop_inside {
    static final int ENOUGH = 30, STOPS = 150;
    static volatile int caught, outside;
    static volatile long steps;
    static int count, sum;

    static boolean enough() {
        return ++caught >= ENOUGH;
    }

    static void field() {
        for (;;) {
            try {
                steps++;
            } catch (ThreadDeath d) {
                if (enough()) return;
            }
        }
    }

    static void loop() {
        for (;;) {
            try {
                for (int i = 0; i < 50; i++) sum += i;
                steps++;
            } catch (ThreadDeath d) {
                if (enough()) return;
            }
        }
    }

    static void step() {
        steps++;
    }

    static void call() {
        for (;;) {
            try {
                step();
            } catch (ThreadDeath d) {
                if (enough()) return;
            }
        }
    }

    static void mayThrow() {
        steps++;
        if (++count % 16 == 0) throw new IllegalStateException();
    }

    static void handlers() {
        for (;;) {
            try {
                for (;;) {
                    try {
                        mayThrow();
                    } catch (IllegalStateException e) {
                        sum++;
                    }
                }
            } catch (ThreadDeath d) {
                if (enough()) return;
            }
        }
    }

    static void stopping(String what, Runnable body) throws Exception {
        caught = 0;
        steps = 0;
        Thread t = new Thread(() -> {
            while (caught < ENOUGH)
                try {
                    body.run();
                } catch (ThreadDeath d) {
                    outside++;
                }
        });
        t.start();
        Thread.sleep(150);
        for (int i = 0; i < STOPS && caught < ENOUGH; i++) {
            long before = steps;
            while (steps < before + 4_000 && caught < ENOUGH) Thread.sleep(1);
            t.stop();
        }
        System.out.println(what + ": " + (caught >= ENOUGH ? "caught inside" : "mostly outside"));
        caught = ENOUGH;
        t.stop();
        t.join();
    }

    public static void main(String[] args) throws Exception {
        stopping("field", Stop_inside::field);
        stopping("loop", Stop_inside::loop);
        stopping("call", Stop_inside::call);
        stopping("handlers", Stop_inside::handlers);
    }
}
