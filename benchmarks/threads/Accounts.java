import java.sql.*;
import java.util.*;

/**
 * H2 in memory: four threads move money between accounts, two per transaction, each thread with a separate connection.
 * Arguments: transactions per thread, accounts. With few accounts, threads wait for each other's rows and transactions
 * that deadlock in H2 are retried, so the amount of work varies.
 */
public final class Accounts {
    static void run(String url, int seed, int transfers, int accounts) {
        Random random = new Random(seed);
        try (Connection c = DriverManager.getConnection(url, "sa", "");
             PreparedStatement take = c.prepareStatement("update account set money = money - ? where id = ?");
             PreparedStatement give = c.prepareStatement("update account set money = money + ? where id = ?")) {
            c.setAutoCommit(false);
            for (int i = 0; i < transfers; i++) {
                int from = random.nextInt(accounts), to = random.nextInt(accounts), money = 1 + random.nextInt(9);
                for (boolean done = false; !done;) {
                    try {
                        take.setInt(1, money); take.setInt(2, from); take.executeUpdate();
                        give.setInt(1, money); give.setInt(2, to); give.executeUpdate();
                        c.commit();
                        done = true;
                    } catch (SQLException e) {  // a deadlock, or a lock timeout
                        c.rollback();
                    }
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        int transfers = Integer.parseInt(args[0]), accounts = Integer.parseInt(args[1]);
        Class.forName("org.h2.Driver");
        String url = "jdbc:h2:mem:bank";
        try (Connection c = DriverManager.getConnection(url, "sa", ""); Statement s = c.createStatement()) {
            s.execute("create table account(id integer primary key, money integer not null)");
            for (int i = 0; i < accounts; i++) s.execute("insert into account values(" + i + ", 1000)");
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int seed = i;
                Thread t = new Thread(() -> run(url, seed, transfers, accounts), "client-" + i);
                t.start();
                threads.add(t);
            }
            for (Thread t : threads) t.join();
            try (ResultSet r = s.executeQuery("select sum(money), count(*) from account")) {
                r.next();
                System.out.println(r.getInt(1) + " in " + r.getInt(2));
            }
        }
    }
}
