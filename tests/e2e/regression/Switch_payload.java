// Switch keys may have any value, including those of the VM's decoded operations, of which there are a few hundred:
// none may be taken for an operation and fused with the next one.
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntUnaryOperator;
import javax.tools.ToolProvider;

public class Switch_payload {
    static final int OPERATIONS = 500;

    static int key(int operation, boolean second) {
        return (2 * operation + (second ? 1 : 0)) << 16 | (second ? 30000 + operation : operation);
    }

    static String source() {
        StringBuilder text = new StringBuilder("public class Generated implements java.util.function.IntUnaryOperator {\n"
            + "public synchronized int applyAsInt(int x) { switch (x) {\n");
        for (int i = 0; i < OPERATIONS; i++)
            for (boolean second : new boolean[] {false, true})
                text.append("case ").append(key(i, second)).append(": return ").append(i % 97).append(";\n");
        return text.append("default: return -1; } } }\n").toString();
    }

    public static void main(String[] args) throws Exception {
        Path file = Path.of("Generated.java");
        Files.writeString(file, source());
        ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", file.toString());
        ClassLoader loader = new ClassLoader() {
            @Override protected Class<?> findClass(String name) throws ClassNotFoundException {
                try {
                    byte[] bytes = Files.readAllBytes(Path.of(name + ".class"));
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (java.io.IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        };
        var made = (IntUnaryOperator) loader.loadClass("Generated").getDeclaredConstructor().newInstance();
        int wrong = 0;
        for (int i = 0; i < OPERATIONS; i++)
            for (boolean second : new boolean[] {false, true}) {
                if (made.applyAsInt(key(i, second)) != i % 97) wrong++;
                if (made.applyAsInt(key(i, second) + 40000) != -1) wrong++;
            }
        System.out.println(wrong + " wrong");
    }
}
