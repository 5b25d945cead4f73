// Large hand-made methods: jumps beyond 32K, switches of thousands, 250 locals, wide indexes, code of 65535 bytes.
public class Wide_code extends Class_writer {
    Wide_code() { super(52, 0, "x", null); }

    public static void main(String[] args) {
        show("table", () -> {
            int n = 8000;
            Class_writer w = new Class_writer(49, PUBLIC | SUPER, "T", "java/lang/Object");
            // 0 iload_0, 1 tableswitch, pad to 4; each case: sipush v, ireturn (4 bytes)
            int base = 4 + 12 + 4 * n;
            byte[] head = code(26, 170, 0, 0, (long) (base + 4 * n - 1), -100L, (long) (n - 101));
            java.io.ByteArrayOutputStream b = new java.io.ByteArrayOutputStream();
            b.writeBytes(head);
            for (int i = 0; i < n; i++) b.writeBytes(code((long) (base + 4 * (n - 1 - i) - 1)));
            for (int i = 0; i < n; i++) b.writeBytes(code(17, (short) i, IRETURN));
            b.writeBytes(code(2, IRETURN));
            w.addMethod(PUBLIC | STATIC, "f", "(I)I", 1, 1, new Object[]{b.toByteArray()});
            Class<?> c = new Loader(w).loadClass("T");
            return call(c, "f", -101) + " " + call(c, "f", -100) + " " + call(c, "f", 0) + " " + call(c, "f", n - 101) + " " + call(c, "f", n - 100) + " " + call(c, "f", Integer.MIN_VALUE) + " " + call(c, "f", Integer.MAX_VALUE);
        });
        show("lookup", () -> {
            int n = 5000;
            Class_writer w = new Class_writer(49, PUBLIC | SUPER, "T", "java/lang/Object");
            int base = 4 + 8 + 8 * n;
            java.io.ByteArrayOutputStream b = new java.io.ByteArrayOutputStream();
            b.writeBytes(code(26, 171, 0, 0, (long) (base + 4 * n - 1), (long) n));
            for (int i = 0; i < n; i++) b.writeBytes(code((long) ((i - n / 2) * 70001), (long) (base + 4 * i - 1)));
            for (int i = 0; i < n; i++) b.writeBytes(code(17, (short) i, IRETURN));
            b.writeBytes(code(2, IRETURN));
            w.addMethod(PUBLIC | STATIC, "f", "(I)I", 1, 1, new Object[]{b.toByteArray()});
            Class<?> c = new Loader(w).loadClass("T");
            long sum = 0;
            for (int i = 0; i < n; i++) sum += (Integer) call(c, "f", (i - n / 2) * 70001) == i ? 1 : 0;
            return sum + " " + call(c, "f", 1) + " " + call(c, "f", Integer.MIN_VALUE);
        });
        show("unsorted lookup", () -> {
            Class_writer w = new Class_writer(49, PUBLIC | SUPER, "T", "java/lang/Object");
            w.addMethod(PUBLIC | STATIC, "f", "(I)I", 1, 1, 26, 171, 0, 0, 27L, 2L, 5L, 27L, 3L, 27L, 2, IRETURN);
            try {
                return call(new Loader(w).loadClass("T"), "f", 3);
            } catch (VerifyError | ClassFormatError e) {
                return "refused";
            }
        });
        show("far jumps", () -> {
            Class_writer w = new Class_writer(49, PUBLIC | SUPER, "T", "java/lang/Object");
            byte[] code = new byte[65535];
            byte[] start = code(26, 154, (short) 8, 200, 65000L - 4 + 0, 0);
            System.arraycopy(start, 0, code, 0, start.length);
            // at 9: iinc 0 -1, then a row of nops to 60000, goto_w back to 0
            byte[] step = code(132, 0, 255);
            System.arraycopy(step, 0, code, 9, 3);
            byte[] back = code(200, -60000L);
            System.arraycopy(back, 0, code, 60000, 5);
            code[60005] = 3;
            code[60006] = (byte) IRETURN;
            byte[] end = code(16, 77, IRETURN);
            for (int i = 60007; i < 65000; i += 2) { code[i] = 3; code[i + 1] = (byte) IRETURN; }
            System.arraycopy(end, 0, code, 65000, 3);
            for (int i = 65003; i + 1 < 65535; i += 2) { code[i] = 3; code[i + 1] = (byte) IRETURN; }
            w.addMethod(PUBLIC | STATIC, "f", "(I)I", 1, 1, new Object[]{code});
            Class<?> c = new Loader(w).loadClass("T");
            return call(c, "f", 3);
        });
        show("many locals", () -> {
            Class_writer w = new Class_writer(49, PUBLIC | SUPER, "T", "java/lang/Object");
            java.io.ByteArrayOutputStream b = new java.io.ByteArrayOutputStream();
            for (int i = 1; i < 3000; i++) b.writeBytes(code(26, 17, (short) i, 96, 196, 54, (short) i));
            b.writeBytes(code(3));
            for (int i = 1; i < 3000; i++) b.writeBytes(code(196, 21, (short) i, 96));
            b.writeBytes(code(196, 132, (short) 2999, (short) -1000, 196, 21, (short) 2999, 96, IRETURN));
            w.addMethod(PUBLIC | STATIC, "f", "(I)I", 4, 65535, new Object[]{b.toByteArray()});
            return call(new Loader(w).loadClass("T"), "f", 2);
        });
        show("255 arguments", () -> {
            Class_writer w = new Class_writer(49, PUBLIC | SUPER, "T", "java/lang/Object");
            String type = "(" + "I".repeat(255) + ")I";
            java.io.ByteArrayOutputStream sum = new java.io.ByteArrayOutputStream(), pass = new java.io.ByteArrayOutputStream();
            sum.writeBytes(code(3));
            for (int i = 0; i < 255; i++) { sum.writeBytes(code(21, i, 96)); pass.writeBytes(code(17, (short) (i * i))); }
            sum.writeBytes(code(IRETURN));
            pass.writeBytes(code(INVOKESTATIC, w.method("T", "sum", type), IRETURN));
            w.addMethod(STATIC, "sum", type, 2, 255, new Object[]{sum.toByteArray()});
            w.addMethod(PUBLIC | STATIC, "f", "()I", 255, 0, new Object[]{pass.toByteArray()});
            Class<?> c = new Loader(w).loadClass("T");
            Object[] all = new Object[255];
            for (int i = 0; i < 255; i++) all[i] = i * i;
            return call(c, "f") + " " + call(c, "sum", all);
        });
        show("wide pool", () -> {
            Class_writer w = new Class_writer(49, PUBLIC | SUPER, "T", "java/lang/Object");
            for (int i = 0; i < 60000; i++) w.integer(i * 7);
            short far = w.integer(-12345), text = w.string("far away"), big = w.longer(1L << 40);
            w.addMethod(PUBLIC | STATIC, "f", "()I", 4, 0, 19, far, 20, big, 136, 96, 19, text, INVOKEVIRTUAL, w.method("java/lang/String", "length", "()I"), 96, IRETURN);
            return call(new Loader(w).loadClass("T"), "f");
        });
    }
}
