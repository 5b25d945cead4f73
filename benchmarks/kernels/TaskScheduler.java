import java.util.ArrayDeque;

/**
 * A simulated operating system: tasks of several classes exchange messages through queues under a
 * priority scheduler. Virtual calls on a small class hierarchy, fields, short methods.
 */
final class TaskScheduler implements Kernel {
    private static final class Message {
        Message next;
        final int[] data = new int[4];
        int from, kind;
    }

    private abstract static class Task {
        final int id, priority;
        Message inbox, last;
        boolean held, waiting;

        Task(int id, int priority) {
            this.id = id;
            this.priority = priority;
        }

        final void deliver(Message m) {
            m.next = null;
            if (inbox == null) inbox = m; else last.next = m;
            last = m;
            waiting = false;
        }

        final Message receive() {
            Message m = inbox;
            if (m != null) inbox = m.next;
            return m;
        }

        final boolean runnable() { return !held && (inbox != null || !waiting); }

        abstract void activate(TaskScheduler s);
    }

    private static final class Producer extends Task {
        private int seed = 7, left;

        Producer(int id, int priority, int left) {
            super(id, priority);
            this.left = left;
        }

        @Override
        void activate(TaskScheduler s) {
            Message m = receive();
            if (m == null) m = s.fresh();
            if (left-- <= 0) {
                held = true;
                s.recycle(m);
                return;
            }
            for (int i = 0; i < m.data.length; i++) m.data[i] = seed = seed * 1103515245 + 12345 & 0x7fffffff;
            m.kind = seed % 2;
            s.send(id, 2 + m.kind, m);
        }
    }

    private static final class Filter extends Task {
        private int passed;

        Filter(int id, int priority) { super(id, priority); }

        @Override
        void activate(TaskScheduler s) {
            Message m = receive();
            if (m == null) {
                waiting = true;
                return;
            }
            for (int i = 0; i < m.data.length; i++) if (m.data[i] % 3 == 0) m.data[i] /= 3;
            s.send(id, ++passed % 3 == 0 ? 4 : 5, m);
        }
    }

    private static final class Device extends Task {
        private int delay;

        Device(int id, int priority) { super(id, priority); }

        @Override
        void activate(TaskScheduler s) {
            if (inbox != null && delay++ % 4 != 0) {
                for (Message m; (m = receive()) != null; ) {
                    s.sum = s.sum * 31 + m.data[0] ^ m.data[3];
                    s.recycle(m);
                }
            }
            waiting = inbox == null;
        }
    }

    private final Task[] tasks = new Task[6];
    private final ArrayDeque<Message> pool = new ArrayDeque<>();
    private long sum, switches;

    private Message fresh() {
        Message m = pool.poll();
        return m == null ? new Message() : m;
    }

    private void recycle(Message m) { pool.add(m); }

    private void send(int from, int to, Message m) {
        m.from = from;
        tasks[to].deliver(m);
    }

    private Task next() {
        Task best = null;
        for (Task t : tasks) if (t.runnable() && (best == null || t.priority > best.priority)) best = t;
        return best;
    }

    @Override
    public long run() {
        tasks[0] = new Producer(0, 1, 180_000);
        tasks[1] = new Producer(1, 2, 80_000);
        tasks[2] = new Filter(2, 3);
        tasks[3] = new Filter(3, 4);
        tasks[4] = new Device(4, 5);
        tasks[5] = new Device(5, 6);
        for (Task t; (t = next()) != null; switches++) t.activate(this);
        return sum * 31 + switches;
    }
}
