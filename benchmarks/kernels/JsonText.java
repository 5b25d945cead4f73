import java.util.*;

/** Writes a nested document as JSON-like text, parses it again and compares: characters, maps, lists, boxes. */
final class JsonText implements Kernel {
    private static final class Parser {
        private final String s;
        private int at;

        Parser(String s) { this.s = s; }

        Object value() {
            switch (s.charAt(at)) {
                case '{': return object();
                case '[': return array();
                case '"': return string();
                case 't': at += 4; return Boolean.TRUE;
                case 'f': at += 5; return Boolean.FALSE;
                case 'n': at += 4; return null;
                default: return number();
            }
        }

        private Map<String, Object> object() {
            Map<String, Object> m = new LinkedHashMap<>();
            at++;
            while (s.charAt(at) != '}') {
                String key = string();
                at++;
                m.put(key, value());
                if (s.charAt(at) == ',') at++;
            }
            at++;
            return m;
        }

        private List<Object> array() {
            List<Object> l = new ArrayList<>();
            at++;
            while (s.charAt(at) != ']') {
                l.add(value());
                if (s.charAt(at) == ',') at++;
            }
            at++;
            return l;
        }

        private String string() {
            StringBuilder b = new StringBuilder();
            for (at++; s.charAt(at) != '"'; at++) {
                if (s.charAt(at) == '\\') at++;
                b.append(s.charAt(at));
            }
            at++;
            return b.toString();
        }

        private Number number() {
            boolean negative = s.charAt(at) == '-';
            if (negative) at++;
            long n = 0;
            while (at < s.length() && Character.isDigit(s.charAt(at))) n = n * 10 + s.charAt(at++) - '0';
            return negative ? -n : n;
        }
    }

    private static void write(StringBuilder b, Object o) {
        if (o instanceof Map<?, ?> m) {
            b.append('{');
            String comma = "";
            for (Map.Entry<?, ?> e : m.entrySet()) {
                b.append(comma);
                write(b, e.getKey());
                b.append(':');
                write(b, e.getValue());
                comma = ",";
            }
            b.append('}');
        } else if (o instanceof List<?> l) {
            b.append('[');
            for (int i = 0; i < l.size(); i++) {
                if (i > 0) b.append(',');
                write(b, l.get(i));
            }
            b.append(']');
        } else if (o instanceof String s) {
            b.append('"');
            for (int i = 0; i < s.length(); i++) {
                char c = s.charAt(i);
                if (c == '"' || c == '\\') b.append('\\');
                b.append(c);
            }
            b.append('"');
        } else {
            b.append(o);
        }
    }

    private static Object document(int depth, int seed) {
        if (depth == 0) return seed % 4 == 0 ? (Object) ("text \"" + seed + "\\") : seed % 4 == 1 ? Long.valueOf(-seed) : seed % 4 == 2 ? Boolean.TRUE : null;
        if (seed % 2 == 0) {
            List<Object> l = new ArrayList<>();
            for (int i = 0; i < 5; i++) l.add(document(depth - 1, seed * 5 + i));
            return l;
        }
        Map<String, Object> m = new LinkedHashMap<>();
        for (int i = 0; i < 4; i++) m.put("key" + i * seed % 17, document(depth - 1, seed * 3 + i));
        return m;
    }

    @Override
    public long run() {
        long sum = 0;
        for (int i = 0; i < 22; i++) {
            Object d = document(5, i);
            StringBuilder b = new StringBuilder();
            write(b, d);
            Object back = new Parser(b.toString()).value();
            sum = sum * 31 + b.toString().hashCode() + (d.equals(back) ? 1 : 0);
        }
        return sum;
    }
}
