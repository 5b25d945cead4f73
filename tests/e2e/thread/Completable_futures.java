// CompletableFuture: chaining, combining, exceptional completion, timeouts, all and any.
import java.util.concurrent.*;
import java.util.stream.*;

public class Completable_futures {
    public static void main(String[] args) throws Exception {
        CompletableFuture<Integer> a = CompletableFuture.supplyAsync(() -> 20), b = CompletableFuture.supplyAsync(() -> 22);
        System.out.println(a.thenCombine(b, Integer::sum).thenApply(x -> "sum " + x).get());
        System.out.println(a.thenCompose(x -> CompletableFuture.supplyAsync(() -> x + 1)).thenApplyAsync(x -> x * 2).join());
        CompletableFuture<String> f = CompletableFuture.supplyAsync(() -> { if (true) throw new IllegalStateException("boom"); return "x"; });
        System.out.println(f.exceptionally(t -> t.getClass().getSimpleName() + ":" + t.getCause().getMessage()).join());
        System.out.println(f.handle((v, t) -> v == null ? "handled" : v).join() + " " + f.isCompletedExceptionally());
        try {
            f.join();
        } catch (CompletionException e) {
            System.out.println(e.getMessage());
        }
        try {
            f.get();
        } catch (ExecutionException e) {
            System.out.println(e.getMessage());
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(IntStream.range(0, 5).mapToObj(i -> CompletableFuture.runAsync(() -> { })).toArray(CompletableFuture[]::new));
        all.join();
        System.out.println(all.isDone() + " " + CompletableFuture.anyOf(CompletableFuture.completedFuture("any"), new CompletableFuture<>()).join());
        CompletableFuture<String> manual = new CompletableFuture<>();
        StringBuilder log = new StringBuilder();
        manual.whenComplete((v, t) -> log.append(v).append(t));
        manual.thenAccept(v -> log.append('|').append(v.length()));
        System.out.println(manual.complete("done") + " " + manual.complete("again") + " " + log + " " + manual.getNow("none"));
        CompletableFuture<String> slow = new CompletableFuture<String>().completeOnTimeout("fallback", 10, TimeUnit.MILLISECONDS);
        System.out.println(slow.get());
        try {
            new CompletableFuture<String>().orTimeout(10, TimeUnit.MILLISECONDS).join();
        } catch (CompletionException e) {
            System.out.println(e.getCause().getClass().getSimpleName());
        }
        CompletableFuture<Integer> c = new CompletableFuture<>();
        c.cancel(true);
        try {
            c.join();
        } catch (CancellationException e) {
            System.out.println("cancelled " + c.isCancelled());
        }
        System.out.println(CompletableFuture.failedFuture(new Exception("f")).exceptionallyCompose(t -> CompletableFuture.completedFuture(t.getMessage())).join());
        System.out.println(IntStream.range(0, 10).mapToObj(i -> CompletableFuture.supplyAsync(() -> i * i)).map(CompletableFuture::join).collect(Collectors.toList()));
    }
}
