import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

// The order in which members of one name are listed follows from HotSpot's sorting of methods. Its first key is the age
// of the names; here the program creates all of them.
public class Member_order {
    static class Few {
        Few() { }
        Few(double a, short b, int[] c) { }
        Few(int[] a) { }
        void zqFew(short a, double b) { }
    }
    static class Even {
        void zqOne(String a, int[] b) { }
        void zqOne() { }
        void zqTwo(float a, char b, short c) { }
        void zqOne(Object a) { }
    }
    static class Mixed {
        static Object first = new Object();
        Mixed(int a) { }
        void zqA(float a, double b) { }
        Mixed(int[] a, long b) { }
        void zqB(char a, float b) { }
        Mixed() { }
        void zqA() { }
        Mixed(String a) { }
        void zqA(byte a) { }
        void zqC() { }
        void zqB(long a) { }
        Mixed(byte a, byte b, Object c) { }
        void zqA(long a, byte b) { }
        private void zqB() { }
        static void zqC(int a) { }
    }
    static class Same {
        void zqSame(int a) { }
        void zqSame(long a) { }
        void zqSame(char a) { }
        void zqSame(byte a) { }
        void zqSame(short a) { }
        void zqSame(float a) { }
        void zqSame(double a) { }
    }

    public static void main(String[] args) {
        for (Class<?> c : new Class<?>[] {Few.class, Even.class, Mixed.class, Same.class}) {
            for (Constructor<?> k : c.getDeclaredConstructors()) System.out.println(k);
            for (Method m : c.getDeclaredMethods()) System.out.println(m);
        }
    }
}
