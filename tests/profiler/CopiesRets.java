/**
 * Runs a class with two loops whose bodies are subroutines (jsr and ret, which javac no longer emits). "bottom" tests
 * at its end, and its ret goes to the header; "top" tests in the header. Needs Class_writer of tests/e2e/linkage.
 */
public class CopiesRets extends Class_writer {
    private CopiesRets() { super(48, 0, "x", null); }

    public static void main(String[] args) throws Throwable {
        Class_writer w = new Class_writer(48, PUBLIC | SUPER, "CopiesRet", "java/lang/Object");
        // for (sum = 0; --n >= 0; ) sum += 5
        // 0 iconst_0; istore_1; goto 8; 5 jsr 17; 8 iinc 0 -1; iload_0; 12 ifge 5; iload_1; ireturn; 17 astore_2; iinc 1 5; ret 2
        w.addMethod(PUBLIC | STATIC, "bottom", "(I)I", 1, 3, 3, 60, 167, (short) 6, 168, (short) 12, 132, 0, 255, 26,
            156, (short) -7, 27, 172, 77, 132, 1, 5, 169, 2);
        // 0 iconst_0; istore_1; 2 iload_0; ifeq 15; jsr 17; iinc 0 -1; 12 goto 2; iload_1; ireturn; 17 astore_2; iinc 1 5; ret 2
        w.addMethod(PUBLIC | STATIC, "top", "(I)I", 1, 3, 3, 60, 26, 153, (short) 12, 168, (short) 11, 132, 0, 255, 167, (short) -10,
            27, 172, 77, 132, 1, 5, 169, 2);
        Class<?> c = new Loader(w).loadClass("CopiesRet");
        System.out.println(call(c, "bottom", 70000) + " " + call(c, "top", 70000));
    }
}
