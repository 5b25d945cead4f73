/** A shop with six problems, one in each of the methods marked "problem". tests/run/answers.py finds them with the
 *  commands of docs/PROFILING.md. */
public class Main {
    static volatile boolean selling = true;
    static volatile double sink;

    public static void main(String[] args) throws Exception {
        Catalogue catalogue = new Catalogue();
        Visits visits = new Visits();
        Thread auditor = new Thread(() -> { while (selling) catalogue.audit(); }, "auditor");
        Thread[] sellers = {new Thread(() -> sell(catalogue, visits), "seller-1"), new Thread(() -> sell(catalogue, visits), "seller-2")};
        auditor.start();
        for (Thread t : sellers) t.start();
        for (Thread t : sellers) t.join();
        selling = false;
        auditor.join();
        System.out.println("sold " + catalogue.sold());
    }

    static void sell(Catalogue catalogue, Visits visits) {
        double sum = 0;
        for (int day = 0; day < 10; day++) {
            sum += Prices.forecast(day);
            sum += Report.render(day).length;
            for (int i = 0; i < 60; i++) {
                visits.count();
                sum += Discount.of(i % 7) + Numbers.parse(i % 2 == 0 ? "n/a" : "17") + catalogue.find(i);
            }
        }
        sink = sum;
    }
}

class Prices {
    /** Problem: takes most of the time, in few calls. */
    static double forecast(int day) {
        double trend = day;
        for (int i = 0; i < 6_000_000; i++) trend = Math.sqrt(trend * trend + i);
        return trend;
    }
}

class Report {
    /** Problem: allocates a large page for each report. */
    static byte[] render(int day) {
        byte[] page = null;
        for (int line = 0; line < 20; line++) page = new byte[400_000 + day];
        return page;
    }
}

class Catalogue {
    private int sold;

    /** Problem: holds the lock that every sale needs. */
    synchronized void audit() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    synchronized int find(int number) {
        sold += number % 3;
        return sold;
    }

    synchronized int sold() { return sold; }
}

class Discount {
    /** Problem: no customer ever gets the discount. */
    static int of(int items) {
        if (items > 100)
            return items / 10;
        return 0;
    }
}

class Visits {
    private int visits;

    /** Problem: two threads count without synchronisation. */
    void count() { visits++; }
}

class Numbers {
    /** Problem: half of the numbers are parsed by an exception. */
    static int parse(String text) {
        try {
            return number(text);
        } catch (IllegalArgumentException e) {
            return 0;
        }
    }

    private static int number(String text) {
        if (!Character.isDigit(text.charAt(0))) throw new IllegalArgumentException(text);
        return text.length();
    }
}
