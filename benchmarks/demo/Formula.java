import java.util.*;
import java.util.function.*;

/**
 * Arithmetic over named variables, given as text and evaluated by walking its tree, so that the ranking of hits is
 * data: numbers, + - * /, parentheses, log, sqrt, min and max.
 */
final class Formula {
    private interface Node { double value(ToDoubleFunction<String> variables); }

    private static final Map<String, DoubleUnaryOperator> FUNCTIONS = Map.of("log", Math::log, "sqrt", Math::sqrt);
    private static final Map<String, DoubleBinaryOperator> PAIRS = Map.of("min", Math::min, "max", Math::max);

    private final String text;
    private final Node root;
    private int at;

    Formula(String text) {
        this.text = text.replace(" ", "");
        root = sum();
        if (at < this.text.length()) throw error();
    }

    double value(ToDoubleFunction<String> variables) { return root.value(variables); }

    private IllegalArgumentException error() {
        return new IllegalArgumentException("formula \"" + text + "\", character " + (at + 1));
    }

    private boolean take(char c) {
        boolean here = at < text.length() && text.charAt(at) == c;
        if (here) at++;
        return here;
    }

    private Node sum() {
        Node n = product();
        while (true) {
            Node left = n;
            if (take('+')) {
                Node right = product();
                n = v -> left.value(v) + right.value(v);
            } else if (take('-')) {
                Node right = product();
                n = v -> left.value(v) - right.value(v);
            } else {
                return n;
            }
        }
    }

    private Node product() {
        Node n = atom();
        while (true) {
            Node left = n;
            if (take('*')) {
                Node right = atom();
                n = v -> left.value(v) * right.value(v);
            } else if (take('/')) {
                Node right = atom();
                n = v -> left.value(v) / right.value(v);
            } else {
                return n;
            }
        }
    }

    private Node atom() {
        if (take('(')) {
            Node inner = sum();
            if (!take(')')) throw error();
            return inner;
        }
        int start = at;
        while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '.')) at++;
        if (at == start) throw error();
        String word = text.substring(start, at);
        if (Character.isDigit(word.charAt(0))) {
            double number = Double.parseDouble(word);
            return v -> number;
        }
        return take('(') ? call(word) : v -> v.applyAsDouble(word);
    }

    private Node call(String name) {
        Node first = sum();
        if (PAIRS.containsKey(name) && take(',')) {
            Node second = sum();
            DoubleBinaryOperator f = PAIRS.get(name);
            if (!take(')')) throw error();
            return v -> f.applyAsDouble(first.value(v), second.value(v));
        }
        DoubleUnaryOperator f = FUNCTIONS.get(name);
        if (f == null || !take(')')) throw error();
        return v -> f.applyAsDouble(first.value(v));
    }
}
