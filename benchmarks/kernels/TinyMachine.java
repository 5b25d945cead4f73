/** An interpreter for a small stack machine: one large switch in a loop, run on a program that finds primes. */
final class TinyMachine implements Kernel {
    private static final int PUSH = 0, LOAD = 1, STORE = 2, ADD = 3, SUB = 4, MOD = 5, MUL = 6, LESS = 7, ZERO = 8, JUMP = 9, IF = 10, OUT = 11, HALT = 12;

    // for (n = 2; n < limit; n++) { for (d = 2; d * d <= n; d++) if (n % d == 0) next n; out n }
    private static int[] program(int limit) {
        return new int[]{
            PUSH, 2, STORE, 0,                      //  0: n = 2
            LOAD, 0, PUSH, limit, LESS, IF, 54,     //  4: while n < limit
            PUSH, 2, STORE, 1,                      // 11: d = 2
            LOAD, 0, LOAD, 1, LOAD, 1, MUL, LESS,   // 15: while not n < d * d
            ZERO, IF, 42,                           // 23
            LOAD, 0, LOAD, 1, MOD, IF, 45,          // 26: n % d == 0: not prime
            LOAD, 1, PUSH, 1, ADD, STORE, 1,        // 33: d++
            JUMP, 15,                               // 40
            LOAD, 0, OUT,                           // 42: prime
            LOAD, 0, PUSH, 1, ADD, STORE, 0,        // 45: n++
            JUMP, 4,                                // 52
            HALT,                                   // 54
        };
    }

    private static long execute(int[] code) {
        int[] stack = new int[16], memory = new int[4];
        int pc = 0, sp = 0;
        long out = 0;
        while (true) {
            switch (code[pc++]) {
                case PUSH: stack[sp++] = code[pc++]; break;
                case LOAD: stack[sp++] = memory[code[pc++]]; break;
                case STORE: memory[code[pc++]] = stack[--sp]; break;
                case ADD: sp--; stack[sp - 1] += stack[sp]; break;
                case SUB: sp--; stack[sp - 1] -= stack[sp]; break;
                case MUL: sp--; stack[sp - 1] *= stack[sp]; break;
                case MOD: sp--; stack[sp - 1] %= stack[sp]; break;
                case LESS: sp--; stack[sp - 1] = stack[sp - 1] < stack[sp] ? 1 : 0; break;
                case ZERO: stack[sp - 1] = stack[sp - 1] == 0 ? 1 : 0; break;
                case JUMP: pc = code[pc]; break;
                case IF: pc = stack[--sp] != 0 ? pc + 1 : code[pc]; break;
                case OUT: out = out * 31 + stack[--sp]; break;
                case HALT: return out;
                default: throw new IllegalStateException("pc " + pc);
            }
        }
    }

    @Override
    public long run() { return execute(program(70_000)); }
}
