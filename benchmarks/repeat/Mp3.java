import java.io.*;
import java.util.zip.CRC32;
import javazoom.jl.decoder.*;

/** Decodes an MP3 file with JLayer; prints the number of frames and a checksum of the sound. */
public final class Mp3 {
    private Mp3() { }

    public static void main(String[] args) throws Exception {
        CRC32 crc = new CRC32();
        int frames = 0;
        try (InputStream in = new FileInputStream(args[0])) {
            Bitstream stream = new Bitstream(in);
            Decoder decoder = new Decoder();
            for (Header h; (h = stream.readFrame()) != null; frames++) {
                SampleBuffer sound = (SampleBuffer) decoder.decodeFrame(h, stream);
                short[] samples = sound.getBuffer();
                for (int i = 0; i < sound.getBufferLength(); i++) crc.update(samples[i]);
                stream.closeFrame();
            }
        }
        System.out.println(frames + " " + crc.getValue());
    }
}
