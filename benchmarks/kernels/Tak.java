/** Takeuchi's function: recursion with three arguments, on instances. */
final class Tak implements Kernel {
    private int tak(int x, int y, int z) {
        return y >= x ? z : tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y));
    }

    @Override
    public long run() {
        long sum = 0;
        for (int i = 0; i < 4; i++) sum = sum * 31 + tak(24, 16 - i % 2, 8) * 31L + tak(22, 16, 10 + i % 3);
        return sum;
    }
}
