// Malformed class files: pool, names, descriptors, flags, attributes and lengths, with the messages.
import java.util.Arrays;

public class Format_errors extends Class_writer {
    Format_errors() { super(52, 0, "x", null); }

    static void t(String what, Class_writer w) { t(what, w.bytes()); }
    static void t(String what, byte[] b) { show(what, () -> new Loader().define(b).getName()); }

    static Class_writer p() { return plain("Bad"); }

    public static void main(String[] args) {
        t("good", p());
        t("empty", new byte[0]);
        t("magic only", Arrays.copyOf(p().bytes(), 4));
        for (int cut : new int[]{6, 9, 10, 12, 20}) t("cut at " + cut, Arrays.copyOf(p().bytes(), cut));
        byte[] longer = Arrays.copyOf(p().bytes(), p().bytes().length + 1);
        t("extra byte", longer);
        byte[] magic = p().bytes();
        magic[0] = 1;
        t("magic", magic);
        byte[] tag = p().bytes();
        tag[10] = 2;
        t("unknown tag", tag);
        Class_writer self = p();
        self.self = self.utf("Bad");
        t("this_class no class", self);
        self.self = 0;
        t("this_class zero", self);
        self.self = 500;
        t("this_class outside", self);
        Class_writer sup = p();
        sup.parent = sup.utf("java/lang/Object");
        t("super_class no class", sup);
        t("name empty", plain(""));
        t("name with dot", plain("a.b"));
        t("name with semicolon", plain("a;"));
        t("name with slashes", plain("a//b"));
        t("name starting with slash", plain("/a"));
        t("name of array", plain("[I"));
        t("name with spaces", plain("a b"));
        Class_writer raw = p();
        raw.rawUtf(new byte[]{(byte) 0xff, 0});
        t("bad utf8", raw);
        Class_writer zero = p();
        zero.rawUtf(new byte[]{0});
        t("zero byte in utf8", zero);
        t("final abstract", new Class_writer(52, FINAL | ABSTRACT | SUPER, "Bad", "java/lang/Object"));
        t("interface not abstract", new Class_writer(52, INTERFACE, "Bad", "java/lang/Object"));
        t("final interface", new Class_writer(52, INTERFACE | ABSTRACT | FINAL, "Bad", "java/lang/Object"));
        t("annotation no interface", new Class_writer(52, 0x2000 | SUPER, "Bad", "java/lang/Object"));
        t("module flag", new Class_writer(53, 0x8000, "Bad", "java/lang/Object"));
        t("field name", p().addField(0, "a.b", "I"));
        t("field type", p().addField(0, "a", "Q"));
        t("field type void", p().addField(0, "a", "V"));
        t("field type unfinished", p().addField(0, "a", "Ljava/lang/String"));
        t("field two types", p().addField(0, "a", "II"));
        t("field twice", p().addField(0, "a", "I").addField(0, "a", "I"));
        t("field same name other type", p().addField(0, "a", "I").addField(0, "a", "J"));
        t("field public private", p().addField(PUBLIC | PRIVATE, "a", "I"));
        t("field final volatile", p().addField(FINAL | VOLATILE, "a", "I"));
        t("field 256 dimensions", p().addField(0, "a", "[".repeat(256) + "I"));
        t("field 255 dimensions", p().addField(0, "a", "[".repeat(255) + "I"));
        t("method name", p().addMethod(0, "a<", "()V", 0, 1, RETURN));
        t("method name init", p().addMethod(0, "<new>", "()V", 0, 1, RETURN));
        t("method type", p().addMethod(0, "a", "(V)V", 0, 1, RETURN));
        t("method no type", p().addMethod(0, "a", "I", 0, 1, RETURN));
        t("method twice", p().addMethod(0, "a", "()V", 0, 1, RETURN).addMethod(0, "a", "()V", 0, 1, RETURN));
        t("method no code", p().addAbstract(PUBLIC, "a", "()V"));
        t("abstract with code", p().addMethod(ABSTRACT, "a", "()V", 0, 1, RETURN));
        t("native with code", p().addMethod(0x100, "a", "()V", 0, 1, RETURN));
        t("abstract final", p().addAbstract(ABSTRACT | FINAL, "a", "()V"));
        t("abstract static", p().addAbstract(ABSTRACT | STATIC, "a", "()V"));
        t("init returning", p().addMethod(0, "<init>", "()I", 1, 1, 3, IRETURN));
        t("init static", p().addMethod(STATIC, "<init>", "()V", 0, 0, RETURN));
        t("clinit with argument", p().addMethod(STATIC, "<clinit>", "(I)V", 0, 1, RETURN));
        t("args too many", p().addMethod(STATIC, "a", "(" + "J".repeat(128) + ")V", 0, 256, RETURN));
        t("args 255", p().addMethod(STATIC, "a", "(" + "J".repeat(127) + "I)V", 0, 255, RETURN));
        t("args this too", p().addMethod(0, "a", "(" + "J".repeat(127) + "I)V", 0, 256, RETURN));
        t("locals too few", p().addMethod(STATIC, "a", "(JJ)V", 0, 3, RETURN));
        t("code empty", p().addMethod(STATIC, "a", "()V", 0, 0));
        t("code of 65536", p().addMethod(STATIC, "a", "()V", 0, 0, new Object[]{new byte[65536]}));
        Class_writer w = p();
        t("constant type", w.addField(STATIC, "a", "I", w.attributeOf("ConstantValue", code(w.string("x")))));
        w = p();
        t("constant length", w.addField(STATIC, "a", "I", w.attributeOf("ConstantValue", code(w.integer(1), 0))));
        w = p();
        t("constant twice", w.addField(STATIC, "a", "I", w.attributeOf("ConstantValue", code(w.integer(1))), w.attributeOf("ConstantValue", code(w.integer(2)))));
        w = p();
        t("handler target", w.addMethod(STATIC, "a", "()V", 1, 0, code(RETURN), new int[][]{{0, 1, 5, 0}}));
        w = p();
        t("handler range", w.addMethod(STATIC, "a", "()V", 1, 0, code(0, RETURN), new int[][]{{1, 0, 0, 0}}));
        w = p();
        t("handler type", w.addMethod(STATIC, "a", "()V", 1, 0, code(0, RETURN), new int[][]{{0, 1, 1, w.utf("x")}}));
        w = p();
        t("source file length", w.attribute("SourceFile", code(w.utf("x"), 0)));
        w = p();
        t("source file index", w.attribute("SourceFile", code((short) 0)));
        w = p();
        t("source file twice", w.attribute("SourceFile", code(w.utf("x"))).attribute("SourceFile", code(w.utf("y"))));
        w = p();
        t("unknown attribute", w.attribute("Unheard", new byte[7]));
        w = p();
        t("code twice", w.addAbstract(STATIC, "a", "()V", w.attributeOf("Code", new byte[0])));
        w = p();
        w.method("X", "f", "I");
        t("method ref with field type", w);
        w = p();
        w.field("X", "f", "()V");
        t("field ref with method type", w);
        w = p();
        w.entry("k", 1, 12, o -> { o.writeShort(900); o.writeShort(1); });
        t("name and type outside", w);
        w = p();
        w.handle(12, (short) 1);
        t("handle kind", w);
        w = p();
        w.dynamic(true, 3, "f", "()V");
        t("dynamic without bootstraps", w);
    }
}
