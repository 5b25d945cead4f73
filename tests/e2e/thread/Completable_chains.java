// CompletableFuture: exceptions along the chain, both and either, timeouts, obtrusion, copies, minimal stages.
import java.util.concurrent.*;
import java.util.stream.*;

public class Completable_chains {
    static String of(CompletableFuture<?> f) {
        try { return "value " + f.get(1, TimeUnit.MINUTES); }
        catch (ExecutionException e) { return "failed " + e.getCause(); }
        catch (CancellationException e) { return "cancelled"; }
        catch (Exception e) { return e.toString(); }
    }

    public static void main(String[] args) throws Exception {
        CompletableFuture<Integer> bad = CompletableFuture.failedFuture(new IllegalStateException("first"));
        System.out.println(of(bad.thenApply(x -> x + 1)) + "; " + of(bad.exceptionally(t -> -1)) + "; " + of(bad.thenApply(x -> x).exceptionally(t -> t instanceof CompletionException ? 1 : 2)));
        System.out.println(of(bad.handle((v, t) -> v + " " + t.getMessage())) + "; " + of(bad.whenComplete((v, t) -> { throw new RuntimeException("second"); })));
        CompletableFuture<Integer> ok = CompletableFuture.completedFuture(5);
        System.out.println(of(ok.whenComplete((v, t) -> { throw new RuntimeException("from whenComplete"); })) + "; " + of(ok.thenCompose(x -> CompletableFuture.supplyAsync(() -> x * 2))) + "; " + of(ok.thenCombine(CompletableFuture.supplyAsync(() -> 7), Integer::sum)));
        System.out.println(of(ok.applyToEither(new CompletableFuture<Integer>(), x -> x + 100)) + "; " + of(ok.thenAcceptBoth(ok, (a, b) -> { })) + "; " + of(ok.runAfterEither(new CompletableFuture<>(), () -> { })) + "; " + of(CompletableFuture.allOf(ok, bad)) + "; " + of(CompletableFuture.anyOf(new CompletableFuture<>(), ok)) + "; " + of(CompletableFuture.allOf()));
        System.out.println(of(new CompletableFuture<Integer>().orTimeout(5, TimeUnit.MILLISECONDS)) + "; " + of(new CompletableFuture<Integer>().completeOnTimeout(9, 5, TimeUnit.MILLISECONDS)) + "; " + of(CompletableFuture.supplyAsync(() -> 3, CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS))));
        CompletableFuture<String> c = new CompletableFuture<>();
        CompletableFuture<Integer> dep = c.thenApply(String::length);
        System.out.println(c.cancel(true) + " " + of(c) + " " + of(dep) + " " + dep.isCancelled() + " " + dep.isCompletedExceptionally());
        CompletableFuture<String> d = new CompletableFuture<>();
        System.out.println(d.getNow("absent") + " " + d.complete("x") + " " + d.complete("y") + " " + d.getNow("absent") + " " + d.isDone());
        d.obtrudeValue("z");
        System.out.println(of(d));
        d.obtrudeException(new Error("obtruded"));
        System.out.println(of(d));
        try { bad.join(); } catch (CompletionException e) { System.out.println(e.getMessage()); }
        CompletableFuture<Integer> source = new CompletableFuture<>(), copy = source.copy();
        copy.complete(1);
        System.out.println(source.isDone() + " " + copy.join());
        try { ((CompletableFuture<Integer>) source.minimalCompletionStage()).complete(3); } catch (UnsupportedOperationException e) { System.out.println("stage only"); }
        System.out.println(IntStream.range(0, 20).mapToObj(i -> CompletableFuture.supplyAsync(() -> i * i)).collect(Collectors.toList()).stream().mapToInt(CompletableFuture::join).sum());
        System.out.println(of(bad.exceptionallyCompose(t -> ok)) + " " + of(CompletableFuture.supplyAsync(() -> 1).thenApplyAsync(x -> x / 0)));
        CompletableFuture<Integer> deep = CompletableFuture.completedFuture(0), root = new CompletableFuture<>();
        CompletableFuture<Integer> chain = root;
        for (int i = 0; i < 5000; i++) chain = chain.thenApply(x -> x + 1);
        root.complete(0);
        System.out.println(chain.join() + " " + root.getNumberOfDependents());
    }
}
