import java.util.zip.CRC32;
import org.sunflow.SunflowAPI;
import org.sunflow.core.*;
import org.sunflow.core.camera.PinholeLens;
import org.sunflow.core.primitive.*;
import org.sunflow.core.shader.*;
import org.sunflow.image.Color;
import org.sunflow.math.*;
import org.sunflow.system.UI;
import org.sunflow.system.ui.SilentInterface;

/** Sunflow renders spheres, a plane and a mesh with path tracing; prints the picture as letters and its checksum. */
public final class SunflowApp extends SunflowAPI {
    private static final int WIDTH = 64, HEIGHT = 40;

    /** Collects the pixels. */
    private static final class Film implements Display {
        final int[] pixels = new int[WIDTH * HEIGHT];
        public void imageBegin(int w, int h, int bucketSize) { }
        public void imagePrepare(int x, int y, int w, int h, int id) { }
        public void imageUpdate(int x, int y, int w, int h, Color[] data, float[] alpha) {
            for (int j = 0, k = 0; j < h; j++)
                for (int i = 0; i < w; i++, k++) pixels[(y + j) * WIDTH + x + i] = data[k].copy().toNonLinear().toRGB();
        }
        public void imageFill(int x, int y, int w, int h, Color c, float alpha) { }
        public void imageEnd() { }
    }

    private void scene() {
        parameter("eye", new Point3(0, -6, 2));
        parameter("transform", Matrix4.lookAt(new Point3(0, -6, 2), new Point3(0, 0, 0.7f), new Vector3(0, 0, 1)));
        parameter("fov", 45f);
        parameter("aspect", (float) WIDTH / HEIGHT);
        camera("camera", "pinhole");

        parameter("maxdist", 3f);
        parameter("samples", 4);
        shader("floor", "ambient_occlusion");
        parameter("diffuse", null, 0.8f, 0.2f, 0.1f);
        shader("red", "diffuse");
        parameter("color", null, 0.7f, 0.8f, 0.9f);
        shader("mirror", "mirror");
        parameter("eta", 1.5f);
        parameter("color", null, 0.9f, 0.9f, 0.9f);
        shader("glass", "glass");

        parameter("center", new Point3(0, 0, 0));
        parameter("normal", new Vector3(0, 0, 1));
        geometry("ground", "plane");
        parameter("shaders", "floor");
        instance("ground.instance", "ground");
        ball("a", -1.6f, 0, 0.9f, 0.9f, "red");
        ball("b", 0.4f, 1.2f, 1.1f, 1.1f, "mirror");
        ball("c", 1.4f, -1.2f, 0.6f, 0.6f, "glass");

        parameter("points", "point", "vertex", new float[] {-1, -2, 0, 0.2f, -2, 0, -0.4f, -1.2f, 0, -0.4f, -1.6f, 1});
        parameter("triangles", new int[] {0, 1, 3, 1, 2, 3, 2, 0, 3});
        geometry("mesh", "triangle_mesh");
        parameter("shaders", "red");
        instance("mesh.instance", "mesh");

        parameter("source", new Point3(3, -5, 6));
        parameter("dir", new Vector3(-3, 5, -6));
        parameter("radius", 20f);
        parameter("radiance", null, 2.5f, 2.5f, 2.3f);
        light("sun", "directional");
    }

    private void ball(String name, float x, float y, float z, float radius, String shader) {
        geometry(name, "sphere");
        parameter("transform", Matrix4.translation(x, y, z).multiply(Matrix4.scale(radius)));
        parameter("shaders", shader);
        instance(name + ".instance", name);
    }

    public static void main(String[] args) {
        UI.set(new SilentInterface());
        SunflowApp app = new SunflowApp();
        app.scene();
        app.parameter("threads", 1);
        app.parameter("resolutionX", WIDTH);
        app.parameter("resolutionY", HEIGHT);
        app.parameter("aa.min", 0);
        app.parameter("aa.max", 1);
        app.parameter("bucket.size", 16);
        app.parameter("camera", "camera");
        app.options(DEFAULT_OPTIONS);
        Film film = new Film();
        app.render(DEFAULT_OPTIONS, film);
        CRC32 sum = new CRC32();
        for (int y = 0; y < HEIGHT; y++) {
            StringBuilder line = new StringBuilder();
            for (int x = 0; x < WIDTH; x++) {
                int p = film.pixels[y * WIDTH + x], light = (p >> 16 & 255) + (p >> 8 & 255) + (p & 255);
                line.append(" .:-=+*#%@".charAt(light * 9 / 765));
                for (int shift = 0; shift < 24; shift += 8) sum.update(p >> shift & 255);
            }
            System.out.println(line);
        }
        System.out.println(Long.toHexString(sum.getValue()));
    }
}
