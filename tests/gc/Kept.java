/** Builds rows of 60 MB at once and keeps them while garbage is made: prints "kept fine". */
public final class Kept {
    private static Long[][] rows(int count) {
        Long[][] rows = new Long[count][100];
        for (int i = 0; i < count; i++)
            for (int k = 0; k < rows[i].length; k++) rows[i][k] = (long) 1000 * i + k;
        return rows;
    }

    private static boolean areWhole(Long[][] rows) {
        for (int i = 0; i < rows.length; i++)
            for (int k = 0; k < rows[i].length; k++)
                if (rows[i][k] != (long) 1000 * i + k) return false;
        return true;
    }

    public static void main(String[] args) {
        Long[][] kept = rows(20_000);
        boolean fine = true;
        for (int i = 0; i < 100; i++) fine &= areWhole(rows(600));
        System.out.println(fine && areWhole(kept) ? "kept fine" : "lost");
    }
}
