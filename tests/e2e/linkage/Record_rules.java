// Hand-made Record attributes: components, missing accessors, wrong flags and superclasses, and reflection on them.
import java.lang.reflect.RecordComponent;

public class Record_rules extends Class_writer {
    Record_rules() { super(52, 0, "x", null); }

    static Class_writer record(int version, int access, String parent, String... components) {
        Class_writer w = new Class_writer(version, access, "R", parent);
        byte[] list = code((short) (components.length / 2));
        for (int i = 0; i < components.length; i += 2) list = code(list, w.utf(components[i]), w.utf(components[i + 1]), (short) 0);
        w.attribute("Record", list);
        return w;
    }

    static void t(String what, Class_writer w) {
        show(what, () -> {
            Class<?> c = new Loader(w).loadClass("R");
            StringBuilder b = new StringBuilder(c.isRecord() + "");
            if (c.isRecord()) for (RecordComponent r : c.getRecordComponents()) b.append(' ').append(r).append(' ').append(r.getAccessor() != null);
            else b.append(' ').append(c.getRecordComponents());
            return b;
        });
    }

    public static void main(String[] args) {
        int usual = PUBLIC | SUPER | FINAL;
        t("empty", record(61, usual, "java/lang/Record"));
        t("two", record(61, usual, "java/lang/Record", "a", "I", "b", "Ljava/lang/String;").addMethod(PUBLIC, "a", "()I", 1, 1, 3, IRETURN));
        t("not final", record(61, PUBLIC | SUPER, "java/lang/Record", "a", "I"));
        t("other parent", record(61, usual, "java/lang/Object", "a", "I"));
        t("older file", record(59, usual, "java/lang/Record", "a", "I"));
        t("bad name", record(61, usual, "java/lang/Record", "a.b", "I"));
        t("bad type", record(61, usual, "java/lang/Record", "a", "V"));
        t("type absent", record(61, usual, "java/lang/Record", "a", "LAbsent;"));
        t("twice", record(61, usual, "java/lang/Record", "a", "I").attribute("Record", code((short) 0)));
        t("no attribute", new Class_writer(61, usual, "R", "java/lang/Record"));
        t("cut", new Class_writer(61, usual, "R", "java/lang/Record").attribute("Record", code((short) 3)));
    }
}
