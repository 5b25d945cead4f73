// Class file versions: the oldest, the newest, too new ones, preview minors, and the messages.
public class Version_checks extends Class_writer {
    Version_checks() { super(52, 0, "x", null); }

    public static void main(String[] args) {
        int[] versions = {44, 45, 3 << 16 | 45, 46, 48, 49, 50, 51, 52, 55, 56, 59, 60, 61, 62, 65, 99, 65535};
        for (int v : versions) t(v);
        t(1 << 16 | 52);
        t(1 << 16 | 55);
        t(1 << 16 | 56);
        t(1 << 16 | 61);
        t(65535 << 16 | 61);
        t(65535 << 16 | 60);
        t(65535 << 16 | 62);
    }

    static void t(int version) {
        show((version & 65535) + "." + (version >>> 16), () -> {
            Class_writer w = new Class_writer(version, PUBLIC | SUPER, "v/V", "java/lang/Object");
            return new Loader(w).loadClass("v.V").getName();
        });
    }
}
