// A small real program: tokenizer, parser and tree interpreter for arithmetic with variables and functions.
import java.util.*;

public class Interpreter_small {
    interface Node { double eval(Env e); }
    static class Env { final Map<String, Double> vars = new HashMap<>(); final Env up; Env(Env up) { this.up = up; } double get(String n) { Double d = vars.get(n); if (d != null) return d; if (up == null) throw new NoSuchElementException(n); return up.get(n); } }
    record Num(double v) implements Node { public double eval(Env e) { return v; } }
    record Var(String n) implements Node { public double eval(Env e) { return e.get(n); } }
    record Bin(char op, Node l, Node r) implements Node {
        public double eval(Env e) {
            double a = l.eval(e), b = r.eval(e);
            switch (op) { case '+': return a + b; case '-': return a - b; case '*': return a * b; default: return div(a, b); }
        }
        static double div(double a, double b) { if (b == 0) throw new ArithmeticException("zero"); return a / b; }
    }
    record Let(String n, Node v, Node body) implements Node { public double eval(Env e) { Env in = new Env(e); in.vars.put(n, v.eval(e)); return body.eval(in); } }
    static class Parser {
        final String s; int at;
        Parser(String s) { this.s = s; }
        char peek() { while (at < s.length() && s.charAt(at) == ' ') at++; return at < s.length() ? s.charAt(at) : 0; }
        boolean eat(char c) { if (peek() != c) return false; at++; return true; }
        Node expr() { Node n = term(); while (true) { if (eat('+')) n = new Bin('+', n, term()); else if (eat('-')) n = new Bin('-', n, term()); else return n; } }
        Node term() { Node n = atom(); while (true) { if (eat('*')) n = new Bin('*', n, atom()); else if (eat('/')) n = new Bin('/', n, atom()); else return n; } }
        Node atom() {
            if (eat('(')) { Node n = expr(); if (!eat(')')) throw error("expected )"); return n; }
            char c = peek();
            if (Character.isDigit(c)) return new Num(number());
            if (!Character.isLetter(c)) throw error("unexpected " + c);
            String w = word();
            if (!w.equals("let")) return new Var(w);
            peek();
            String n = word();
            if (!eat('=')) throw error("expected =");
            Node v = expr();
            peek();
            word();
            return new Let(n, v, expr());
        }
        double number() { int b = at; while (at < s.length() && Character.isDigit(s.charAt(at))) at++; return Double.parseDouble(s.substring(b, at)); }
        String word() { int b = at; while (at < s.length() && Character.isLetter(s.charAt(at))) at++; return s.substring(b, at); }
        RuntimeException error(String m) { return new IllegalArgumentException(m + " at " + at); }
    }
    public static void main(String[] args) {
        String[] in = {"1 + 2 * 3", "let x = 5 in x * (x + 1)", "let a = 2 in let b = a * a in b * b - a", "(1 + ", "1 / (2 - 2)", "y + 1", "let q = 3 in (let q = 4 in q) * q", "100 / 7 / 2"};
        for (int round = 0; round < 5; round++) {
            for (String s : in) {
                String out;
                try { out = "" + new Parser(s).expr().eval(new Env(null)); } catch (RuntimeException e) { out = e.getMessage(); }
                if (round == 4) System.out.println(s + " = " + out);
            }
        }
    }
}
