import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

/**
 * A chat server and its users, modelled on VolanoMark: ChatApp [ROOMS USERS MESSAGES]. Each user is a loopback
 * connection with a thread that sends and one that receives, and with two server threads. Each message goes to all
 * users in the room. Prints the number of lines received and a checksum, independent of the order of threads.
 */
public final class ChatApp {
    private ChatApp() { }

    // ---- server ----

    /** A connection of the server: its reader passes lines to the room, its writer sends the room's messages. */
    private static final class Member {
        private static final String END = "";
        private final Socket socket;
        private final BlockingQueue<String> outgoing = new LinkedBlockingQueue<>();

        Member(Socket socket) {
            this.socket = socket;
        }

        void read(Map<String, Room> rooms, Thread writer) {
            try (BufferedReader in = reader(socket)) {
                Room room = rooms.get(in.readLine());
                room.enter(this);
                for (String line; (line = in.readLine()) != null; ) room.say(line);
                room.leave(this);
                outgoing.add(END);
                writer.join();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void write() {
            try {
                Writer out = writer(socket);
                for (String line; !(line = outgoing.take()).equals(END); ) {
                    out.write(line);
                    out.write('\n');
                    if (outgoing.isEmpty()) out.flush();
                }
                out.flush();
                socket.shutdownOutput();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** No user sends before all have joined, so that all users receive everything. */
    private static final class Room {
        private final Set<Member> members = new LinkedHashSet<>();
        private final int users;

        Room(int users) {
            this.users = users;
        }

        synchronized void enter(Member m) {
            members.add(m);
            if (members.size() == users) for (Member each : members) each.outgoing.add("welcome");
        }

        synchronized void say(String line) {
            for (Member each : members) each.outgoing.add(line);
        }

        synchronized void leave(Member m) {
            members.remove(m);
        }
    }

    private static void serve(ServerSocket server, int connections, Map<String, Room> rooms, List<Thread> threads) throws IOException {
        for (int i = 0; i < connections; i++) {
            Member member = new Member(server.accept());
            member.socket.setTcpNoDelay(true);
            Thread writer = new Thread(member::write, "server writer " + i);
            Thread reader = new Thread(() -> member.read(rooms, writer), "server reader " + i);
            synchronized (threads) {
                threads.add(reader);
                threads.add(writer);
            }
            writer.start();
            reader.start();
        }
    }

    // ---- users ----

    private static void talk(Socket socket, String room, String name, int messages, CountDownLatch welcome) {
        try {
            Writer out = writer(socket);
            out.write(room + "\n");
            out.flush();
            welcome.await();
            for (int i = 0; i < messages; i++) {
                out.write(name + " says " + i + " and something that makes the line as long as lines are\n");
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Receives all messages of the room and then leaves. */
    private static void listen(Socket socket, int expected, CountDownLatch welcome, AtomicLong heard, AtomicLong sum) {
        try (BufferedReader in = reader(socket)) {
            if (!in.readLine().equals("welcome")) throw new IllegalStateException("not welcome");
            welcome.countDown();
            long own = 0;
            for (int i = 0; i < expected; i++) own += checksum(in.readLine());
            socket.shutdownOutput();
            if (in.readLine() != null) throw new IllegalStateException("heard too much");
            heard.addAndGet(expected);
            sum.addAndGet(own);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long checksum(String line) {
        CRC32 crc = new CRC32();
        crc.update(line.getBytes(StandardCharsets.US_ASCII));
        return crc.getValue();
    }

    private static BufferedReader reader(Socket s) throws IOException {
        return new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
    }

    private static Writer writer(Socket s) throws IOException {
        return new BufferedWriter(new OutputStreamWriter(s.getOutputStream(), StandardCharsets.US_ASCII));
    }

    public static void main(String[] args) throws Exception {
        int rooms = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        int users = args.length > 1 ? Integer.parseInt(args[1]) : 10;
        int messages = args.length > 2 ? Integer.parseInt(args[2]) : 20;
        Map<String, Room> byName = new HashMap<>();
        for (int r = 0; r < rooms; r++) byName.put("room " + r, new Room(users));
        List<Thread> threads = new ArrayList<>();
        AtomicLong heard = new AtomicLong(), sum = new AtomicLong();
        try (ServerSocket server = new ServerSocket(0, rooms * users, InetAddress.getLoopbackAddress())) {
            Thread acceptor = new Thread(() -> {
                try {
                    serve(server, rooms * users, byName, threads);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }, "acceptor");
            acceptor.start();
            for (int u = 0; u < rooms * users; u++) {
                String room = "room " + u % rooms, name = "user " + u;
                Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                socket.setTcpNoDelay(true);
                CountDownLatch welcome = new CountDownLatch(1);
                Thread talker = new Thread(() -> talk(socket, room, name, messages, welcome), name + " talks");
                Thread listener = new Thread(() -> listen(socket, users * messages, welcome, heard, sum), name + " listens");
                synchronized (threads) {
                    threads.add(talker);
                    threads.add(listener);
                }
                talker.start();
                listener.start();
            }
            acceptor.join();
            for (Thread t : threads) t.join();
        }
        System.out.println(rooms * users + " users in " + rooms + " rooms heard " + heard + " lines, " + Long.toHexString(sum.get()));
    }
}
