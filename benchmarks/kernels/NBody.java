/** Gravity among a few bodies: object fields of double, square roots. */
final class NBody implements Kernel {
    private static final class Body {
        double x, y, z, vx, vy, vz;
        final double mass;

        Body(int i) {
            x = i * 1.5 - 3;
            y = i * i * 0.25 - 1;
            z = (i % 3) * 0.5;
            vx = 0.01 * (i % 4);
            vy = 0.02 * (i % 5 - 2);
            mass = 1 + i * 0.1;
        }
    }

    private final Body[] bodies = new Body[7];

    private void step(double dt) {
        for (int i = 0; i < bodies.length; i++) {
            Body a = bodies[i];
            for (int j = i + 1; j < bodies.length; j++) attract(a, bodies[j], dt);
        }
        for (Body b : bodies) {
            b.x += dt * b.vx;
            b.y += dt * b.vy;
            b.z += dt * b.vz;
        }
    }

    private static void attract(Body a, Body b, double dt) {
        double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
        double d2 = dx * dx + dy * dy + dz * dz + 0.01;
        double pull = dt / (d2 * Math.sqrt(d2));
        a.vx -= dx * b.mass * pull;
        a.vy -= dy * b.mass * pull;
        a.vz -= dz * b.mass * pull;
        b.vx += dx * a.mass * pull;
        b.vy += dy * a.mass * pull;
        b.vz += dz * a.mass * pull;
    }

    @Override
    public long run() {
        for (int i = 0; i < bodies.length; i++) bodies[i] = new Body(i);
        for (int i = 0; i < 45_000; i++) step(0.001);
        long sum = 0;
        for (Body b : bodies) sum = sum * 31 + Double.doubleToLongBits(b.x + b.vy);
        return sum;
    }
}
