import java.math.BigDecimal;
import java.sql.*;

/** The same small job for any SQL database: tables, batches, joins, aggregates, transactions, errors. */
final class SqlWork {
    private static final String[] GOODS = {"salt", "wool", "tin", "amber", "oil", "wax", "silk", "rope"};
    private final Connection c;
    private final String key;

    SqlWork(Connection c, String key) {
        this.c = c;
        this.key = key;
    }

    void run() throws SQLException {
        create();
        fill();
        query();
        transactions();
        errors();
    }

    private void create() throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute("create table item(id " + key + ", name varchar(20) not null unique, price decimal(10,2), stock integer)");
            s.execute("create table sale(id " + key + ", item integer references item(id), sold date, amount integer check (amount > 0))");
            s.execute("create table log(id " + key + ", text varchar(200))");
            s.execute("create index sale_day on sale(sold)");
            s.execute("create view busy as select item, sum(amount) total from sale group by item having sum(amount) > 1000");
        }
    }

    private void fill() throws SQLException {
        c.setAutoCommit(false);
        try (PreparedStatement p = c.prepareStatement("insert into item(name, price, stock) values(?, ?, ?)")) {
            for (int i = 0; i < GOODS.length; i++) {
                p.setString(1, GOODS[i]);
                p.setBigDecimal(2, new BigDecimal(125 * (i + 1)).movePointLeft(2));
                p.setInt(3, 10 * i);
                p.addBatch();
            }
            System.out.println(p.executeBatch().length + " items");
        }
        int seed = 7;
        try (PreparedStatement p = c.prepareStatement("insert into sale(item, sold, amount) values(?, ?, ?)")) {
            for (int i = 0; i < 600; i++) {
                seed = seed * 1103515245 + 12345;
                p.setInt(1, 1 + (seed >>> 16) % GOODS.length);
                p.setDate(2, Date.valueOf(java.time.LocalDate.of(2020, 1, 1).plusDays((seed >>> 8) % 366)));
                p.setInt(3, 1 + (seed >>> 20) % 40);
                p.addBatch();
            }
            System.out.println(p.executeBatch().length + " sales");
        }
        c.commit();
        c.setAutoCommit(true);
    }

    private void query() throws SQLException {
        String[] queries = {
            "select i.name, count(*), sum(s.amount), sum(s.amount * i.price), avg(s.amount) from sale s join item i on i.id = s.item "
                + "group by i.name order by 4 desc",
            "select extract(month from sold) m, count(*), max(amount) from sale group by extract(month from sold) order by m",
            "select name, total from busy join item on id = item order by total, name",
            "select i.name from item i where not exists (select 1 from sale s where s.item = i.id and s.amount = 40) order by 1",
            "select a.sold, a.amount from sale a where a.amount = (select max(b.amount) from sale b where b.sold = a.sold) "
                + "and a.sold < date '2020-01-20' order by a.sold, a.id",
            "select upper(name) || '-' || char_length(name), case when price > 5 then 'dear' else 'cheap' end, mod(stock, 7) "
                + "from item order by name desc fetch first 5 rows only",
            "select coalesce(i.name, 'none'), s.id from item i left join sale s on s.item = i.id and s.amount > 39 order by 1, 2",
            "with recursive n(k) as (values(1) union all select k + 1 from n where k < 12) select sum(k), max(k) from n",
            "select count(distinct item), stddev_pop(amount), min(sold), max(sold) from sale",
        };
        try (Statement s = c.createStatement()) {
            for (String q : queries) print(s.executeQuery(q));
        }
        try (PreparedStatement p = c.prepareStatement("select name, price from item where name like ? and price between ? and ? order by id")) {
            for (String pattern : new String[] {"%a%", "s%", "%x"}) {
                p.setString(1, pattern);
                p.setBigDecimal(2, BigDecimal.ONE);
                p.setDouble(3, 9.5);
                print(p.executeQuery());
            }
        }
    }

    private void transactions() throws SQLException {
        c.setAutoCommit(false);
        try (Statement s = c.createStatement()) {
            System.out.println(s.executeUpdate("update item set stock = stock + 1 where id > 2"));
            Savepoint before = c.setSavepoint();
            s.executeUpdate("delete from sale");
            print(s.executeQuery("select count(*) from sale"));
            c.rollback(before);
            print(s.executeQuery("select count(*) from sale"));
            c.rollback();
            print(s.executeQuery("select sum(stock) from item"));
        }
        c.setAutoCommit(true);
    }

    private void errors() throws SQLException {
        String[] wrong = {"insert into item(name) values('salt')", "insert into sale(item, amount) values(99, 1)",
            "insert into sale(item, amount) values(1, 0)", "select nothing from item", "selec 1", "select 1/0 from item",
            "insert into item(name) values(null)"};
        try (Statement s = c.createStatement()) {
            for (String q : wrong) {
                try {
                    s.execute(q);
                    System.out.println("accepted: " + q);
                } catch (SQLException e) {
                    System.out.println(e.getClass().getSimpleName() + " " + e.getSQLState() + " " + e.getErrorCode());
                }
            }
        }
    }

    static void print(ResultSet r) throws SQLException {
        ResultSetMetaData m = r.getMetaData();
        int columns = m.getColumnCount();
        StringBuilder head = new StringBuilder();
        for (int i = 1; i <= columns; i++) head.append(i == 1 ? "-- " : ", ").append(m.getColumnLabel(i)).append(' ').append(m.getColumnTypeName(i));
        System.out.println(head);
        while (r.next()) {
            StringBuilder line = new StringBuilder();
            for (int i = 1; i <= columns; i++) line.append(i == 1 ? "" : " | ").append(r.getObject(i));
            System.out.println(line);
        }
        r.close();
    }
}
