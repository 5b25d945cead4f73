// Serialization across versions (two loaders): fields are added, removed and retyped; hierarchies grow.
import java.io.*;
import java.util.*;

public class Serial_evolution extends Class_writer {
    Serial_evolution() { super(52, 0, "x", null); }

    static Class_writer child(String parent, String... fields) { return version("Ev", parent, "java/io/Serializable", fields); }
    static Class_writer version(String name, String parent, String iface, String... fields) {
        Class_writer w = iface == null ? new Class_writer(52, PUBLIC | SUPER, name, parent) : new Class_writer(52, PUBLIC | SUPER, name, parent, iface);
        w.addConstructor(parent).addField(PRIVATE | STATIC | FINAL, "serialVersionUID", "J", w.attributeOf("ConstantValue", code(w.longer(1))));
        for (int i = 0; i < fields.length; i += 2) w.addField(PUBLIC, fields[i], fields[i + 1]);
        return w;
    }

    static void t(String what, Loader from, Loader to) {
        show(what, () -> {
            Object o = from.loadClass("Ev").getConstructor().newInstance();
            for (var f : o.getClass().getFields()) if ((f.getModifiers() & STATIC) == 0) { if (f.getType() == int.class) f.setInt(o, 5); else if (f.getType() == long.class) f.setLong(o, 6); else if (f.getType() == String.class) f.set(o, "s"); else if (f.getType() == Object.class) f.set(o, List.of(1)); }
            ByteArrayOutputStream b = new ByteArrayOutputStream();
            new ObjectOutputStream(b).writeObject(o);
            Object r = new ObjectInputStream(new ByteArrayInputStream(b.toByteArray())) { @Override protected Class<?> resolveClass(ObjectStreamClass d) throws IOException, ClassNotFoundException { return Class.forName(d.getName(), false, to); } }.readObject();
            StringBuilder s = new StringBuilder(r.getClass().getName());
            for (var f : r.getClass().getFields()) s.append(' ').append(f.getName()).append('=').append(f.get(r));
            return s;
        });
    }

    public static void main(String[] args) {
        String obj = "java/lang/Object";
        t("same", new Loader(child(obj, "a", "I", "s", "Ljava/lang/String;")), new Loader(child(obj, "a", "I", "s", "Ljava/lang/String;")));
        t("field added", new Loader(child(obj, "a", "I")), new Loader(child(obj, "a", "I", "b", "J", "s", "Ljava/lang/String;")));
        t("field removed", new Loader(child(obj, "a", "I", "s", "Ljava/lang/String;")), new Loader(child(obj, "s", "Ljava/lang/String;")));
        t("int to long", new Loader(child(obj, "a", "I")), new Loader(child(obj, "a", "J")));
        t("long to int", new Loader(child(obj, "a", "J")), new Loader(child(obj, "a", "I")));
        t("object to string", new Loader(child(obj, "a", "Ljava/lang/Object;")), new Loader(child(obj, "a", "Ljava/lang/String;")));
        t("string to object", new Loader(child(obj, "a", "Ljava/lang/String;")), new Loader(child(obj, "a", "Ljava/lang/Object;")));
        t("int to object", new Loader(child(obj, "a", "I")), new Loader(child(obj, "a", "Ljava/lang/Object;")));
        t("parent added", new Loader(child(obj, "a", "I")), new Loader(version("Par", obj, "java/io/Serializable", "p", "I"), child("Par", "a", "I")));
        t("parent removed", new Loader(version("Par", obj, "java/io/Serializable", "p", "I"), child("Par", "a", "I")), new Loader(child(obj, "a", "I"), version("Par", obj, "java/io/Serializable", "p", "I")));
        t("parent not serializable", new Loader(version("Par", obj, null, "p", "I"), child("Par", "a", "I")), new Loader(version("Par", obj, null, "p", "I"), child("Par", "a", "I")));
        t("no longer serializable", new Loader(child(obj, "a", "I")), new Loader(version("Ev", obj, null, "a", "I")));
        t("now externalizable", new Loader(child(obj, "a", "I")), new Loader(version("Ev", obj, "java/io/Externalizable", "a", "I")));
        t("class absent", new Loader(child(obj, "a", "I")), new Loader());
        Class_writer noUid = new Class_writer(52, PUBLIC | SUPER, "Ev", obj, "java/io/Serializable");
        noUid.addConstructor().addField(PUBLIC, "a", "I");
        t("other uid", new Loader(child(obj, "a", "I")), new Loader(noUid));
    }
}
