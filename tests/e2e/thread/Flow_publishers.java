// Reactive streams: SubmissionPublisher with processors, back pressure and errors.
import java.util.*;
import java.util.concurrent.*;
import java.util.function.Function;

public class Flow_publishers {
    static class Map1<A, B> extends SubmissionPublisher<B> implements Flow.Processor<A, B> {
        final Function<A, B> f;
        Flow.Subscription s;
        Map1(Function<A, B> f) { this.f = f; }
        public void onSubscribe(Flow.Subscription x) { s = x; s.request(1); }
        public void onNext(A a) { submit(f.apply(a)); s.request(1); }
        public void onError(Throwable t) { closeExceptionally(t); }
        public void onComplete() { close(); }
    }

    static class Collect<T> implements Flow.Subscriber<T> {
        final List<T> got = Collections.synchronizedList(new ArrayList<>());
        final CompletableFuture<String> end = new CompletableFuture<>();
        Flow.Subscription s;
        public void onSubscribe(Flow.Subscription x) { s = x; s.request(2); }
        public void onNext(T t) { got.add(t); s.request(1); }
        public void onError(Throwable t) { end.complete("error " + t.getMessage()); }
        public void onComplete() { end.complete("complete"); }
    }

    public static void main(String[] args) throws Exception {
        SubmissionPublisher<Integer> p = new SubmissionPublisher<>(ForkJoinPool.commonPool(), 8);
        Map1<Integer, String> m = new Map1<>(x -> "v" + x * x);
        Collect<String> c = new Collect<>();
        p.subscribe(m);
        m.subscribe(c);
        for (int i = 0; i < 30; i++) p.submit(i);
        p.close();
        System.out.println(c.end.get(30, TimeUnit.SECONDS) + " " + c.got.size() + " " + c.got.get(29));
        SubmissionPublisher<Integer> q = new SubmissionPublisher<>();
        Collect<Integer> d = new Collect<>();
        q.subscribe(d);
        q.submit(1);
        q.closeExceptionally(new Exception("stopped"));
        System.out.println(d.end.get(30, TimeUnit.SECONDS) + " " + q.isClosed());
        try {
            q.submit(2);
        } catch (IllegalStateException e) {
            System.out.println("closed");
        }
        SubmissionPublisher<Integer> r = new SubmissionPublisher<>();
        CompletableFuture<Void> done = r.consume(x -> { if (x == 3) throw new RuntimeException("three"); });
        for (int i = 0; i < 5; i++) r.submit(i);
        r.close();
        System.out.println(done.handle((v, t) -> t == null ? "fine" : t.getMessage()).get(30, TimeUnit.SECONDS));
    }
}
