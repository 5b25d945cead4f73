import java.util.ArrayList;
import java.util.List;

/**
 * An incremental solver for one-way constraints with strengths: each variable is determined by the strongest constraint
 * that can be enforced; adding or removing one re-plans its dependents. Abstract classes, lists of objects, many small
 * virtual calls.
 */
final class Constraints implements Kernel {
    private static final int REQUIRED = 0, STRONG = 2, WEAK = 5, NONE = 9;

    private static final class Variable {
        int value, walk = NONE, mark;
        Constraint by;
        final List<Constraint> users = new ArrayList<>();

        Variable(int value) { this.value = value; }
    }

    private abstract static class Constraint {
        final int strength;
        boolean active;

        Constraint(int strength) { this.strength = strength; }

        abstract Variable output();
        abstract Variable[] inputs();
        abstract void choose();
        abstract void execute();
        abstract void attach();

        final int outputWalk() {
            int w = strength;
            for (Variable v : inputs()) if (v.walk > w) w = v.walk;
            return w;
        }
    }

    private static final class Stay extends Constraint {
        private static final Variable[] nothing = new Variable[0];
        private final Variable v;

        Stay(int strength, Variable v) {
            super(strength);
            this.v = v;
        }

        @Override Variable output() { return v; }
        @Override Variable[] inputs() { return nothing; }
        @Override void choose() { active = strength < v.walk; }
        @Override void execute() { }
        @Override void attach() { v.users.add(this); }
    }

    /** b = a * factor + offset, or backwards. */
    private static class Linear extends Constraint {
        private final Variable a, b;
        private final int factor, offset;
        private boolean forward;

        Linear(int strength, Variable a, Variable b, int factor, int offset) {
            super(strength);
            this.a = a;
            this.b = b;
            this.factor = factor;
            this.offset = offset;
        }

        @Override Variable output() { return forward ? b : a; }
        @Override Variable[] inputs() { return new Variable[]{forward ? a : b}; }

        @Override
        void choose() {
            forward = b.walk >= a.walk;
            Variable weaker = forward ? b : a;
            active = strength < weaker.walk;
        }

        @Override
        void execute() {
            if (forward) b.value = a.value * factor + offset;
            else a.value = (b.value - offset) / factor;
        }

        @Override
        void attach() {
            a.users.add(this);
            b.users.add(this);
        }
    }

    private int mark;
    private long executed;

    private void add(Constraint c) {
        c.attach();
        for (Constraint next = c; next != null; ) next = enforce(next);
    }

    private Constraint enforce(Constraint c) {
        c.choose();
        if (!c.active) return null;
        Variable out = c.output();
        Constraint loser = out.by;
        if (loser != null) loser.active = false;
        out.by = c;
        propagate(out, ++mark);
        return loser;
    }

    private void propagate(Variable from, int now) {
        List<Variable> todo = new ArrayList<>();
        todo.add(from);
        while (!todo.isEmpty()) {
            Variable v = todo.remove(todo.size() - 1);
            if (v.mark == now) continue;
            v.mark = now;
            v.walk = v.by.outputWalk();
            v.by.execute();
            executed++;
            for (Constraint c : v.users) if (c.active && c != v.by && c.output() != v) todo.add(c.output());
        }
    }

    private void set(Variable v, int value) {
        v.value = value;
        mark++;
        v.mark = mark;
        for (Constraint c : v.users) if (c.active && c != v.by && c.output() != v) propagate(c.output(), ++mark);
    }

    private long chain(int n) {
        Variable[] vs = new Variable[n];
        for (int i = 0; i < n; i++) vs[i] = new Variable(i);
        for (int i = 0; i + 1 < n; i++) add(new Linear(REQUIRED, vs[i], vs[i + 1], 1, i % 3));
        add(new Stay(WEAK, vs[n - 1]));
        add(new Stay(STRONG, vs[0]));
        long s = 0;
        for (int i = 0; i < 40; i++) {
            set(vs[0], i * 5);
            s = s * 31 + vs[n - 1].value + vs[n / 2].walk;
        }
        return s;
    }

    private long star(int n) {
        Variable center = new Variable(10);
        Variable[] vs = new Variable[n];
        for (int i = 0; i < n; i++) {
            vs[i] = new Variable(0);
            add(new Linear(REQUIRED, center, vs[i], i % 5 + 1, i));
            if (i % 4 == 0) add(new Stay(WEAK, vs[i]));
        }
        add(new Stay(STRONG, center));
        long s = 0;
        for (int i = 0; i < 40; i++) {
            set(center, i);
            for (Variable v : vs) s = s * 7 + v.value;
        }
        return s;
    }

    @Override
    public long run() {
        long s = 0;
        for (int i = 0; i < 36; i++) s = s * 31 + chain(160 + i) + star(120 - i);
        return s * 31 + executed;
    }
}
