// Loops within loops. On-stack replacement enters the innermost one first; its code is left at the backedges of the
// loops around it, for their own code. Values of all kinds, monitors and exceptions live across those backedges.
public class Nested_loops {
    static int[][] table = new int[40][50];
    static Object lock = new Object();
    int field;

    static long plain(int times) {
        long sum = 0;
        double scale = 1;
        for (int r = 0; r < times; r++) {
            float half = r * 0.5f;
            for (int i = 0; i < table.length; i++) {
                int[] row = table[i];
                long before = sum;
                for (int j = 0; j < row.length; j++) {
                    row[j] = row[j] * 31 + (i ^ j) + r;
                    if ((row[j] & 255) == 7) sum += row[j];
                }
                scale += (sum - before) * 1e-9 + half;
            }
        }
        return sum + (long) scale;
    }

    // `continue` and `break` with labels lead from the innermost loop to the backedges and exits of the outer ones.
    static int labels(int times) {
        int found = 0;
        outer:
        for (int r = 0; r < times; r++) {
            middle:
            for (int i = 1; ; i++) {
                if (i > 60) continue outer;
                for (int j = 1; j < 40; j++) {
                    int k = (i * 31 + j * 17 + r) % 101;
                    if (k == 3) continue middle;
                    if (k == 5 && (r & 1) == 0) continue outer;
                    if (k == 7 && i > 50) break middle;
                    found += k;
                }
            }
            found ^= r;
        }
        return found;
    }

    static int locked(int times) {
        int n = 0;
        for (int r = 0; r < times; r++) {
            synchronized (lock) {
                for (int i = 0; i < 30; i++) {
                    Object inner = i % 2 == 0 ? lock : table;
                    synchronized (inner) {
                        for (int j = 0; j < 30; j++) n += i ^ j;
                    }
                    if (!Thread.holdsLock(lock)) throw new IllegalStateException("at " + i);
                }
            }
            if (Thread.holdsLock(lock) || Thread.holdsLock(table)) throw new IllegalStateException("after " + r);
        }
        return n;
    }

    synchronized int member(int times) {
        for (int r = 0; r < times; r++)
            for (int i = 0; i < 30; i++) {
                for (int j = 0; j < 30; j++) field += (r ^ i) & j;
                if (!Thread.holdsLock(this)) throw new IllegalStateException();
            }
        return field;
    }

    static int thrown(int times) {
        int caught = 0, last = 0;
        for (int r = 0; r < times; r++) {
            for (int i = 0; i < 20; i++) {
                int j = 0;
                try {
                    for (; ; j++) {
                        last += table[i + r % 3][j];
                        if (j == 45 && i % 4 == 0) throw new RuntimeException();
                    }
                } catch (ArrayIndexOutOfBoundsException e) {
                    caught += j;
                } catch (RuntimeException e) {
                    caught += 1000 + j;
                    continue;
                } finally {
                    last ^= i;
                }
                caught++;
            }
        }
        return caught * 31 + last;
    }

    // A switch in a loop: several inner loops lead to one backedge.
    static int cases(int times) {
        int state = 0, sum = 0;
        for (int r = 0; r < times; r++) {
            do {
                switch (state) {
                    case 0:
                        for (int i = 0; i < 40; i++) sum += i;
                        state = 1;
                        break;
                    case 1:
                        for (int i = 40; i > 0; i -= 3) sum ^= i;
                        state = r % 5 == 0 ? 2 : 3;
                        continue;
                    case 2:
                        for (int i = 0; i < 7; i++)
                            for (int k = 0; k < 7; k++) sum += i * k;
                        state = 3;
                        break;
                    default: state = 0;
                }
            } while (state != 0);
        }
        return sum;
    }

    static Object objects(int times) {
        StringBuilder all = new StringBuilder();
        Object[] kept = new Object[8];
        for (int r = 0; r < times; r++) {
            String name = "r" + r;
            for (int i = 0; i < 8; i++) {
                kept[i] = name;
                for (int j = 0; j < 25; j++)
                    if (kept[j % 8] == name && j == 24 - i) kept[i] = new int[] {i, j};
            }
            if (r % 1000 == 0) all.append(name).append(((int[]) kept[7])[1]);
        }
        return all;
    }

    public static void main(String[] args) throws Exception {
        int n = args.length > 0 ? Integer.parseInt(args[0]) : 6000;
        System.out.println(plain(n));
        System.out.println(labels(n / 4));
        System.out.println(locked(n / 2));
        System.out.println(new Nested_loops().member(n / 2));
        System.out.println(thrown(n / 4));
        System.out.println(cases(n));
        System.out.println(objects(n));
        Thread[] threads = new Thread[3];
        int[] results = new int[3];
        for (int t = 0; t < 3; t++) {
            int number = t;
            threads[t] = new Thread(() -> results[number] = cases(n + number) + labels(n / 8));
            threads[t].start();
        }
        for (int t = 0; t < 3; t++) {
            threads[t].join();
            System.out.println(results[t]);
        }
    }
}
