import cabernet.Profile;
import cabernet.junit.CountedCalls;
import cabernet.junit.ExpectCalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that assert on calls; those whose names begin with "wrong" fail. */
@ExtendWith(CountedCalls.class)
class RepoTest {
    static class Repo {
        String load(int id) {
            return "row " + id;
        }

        void save(String row) {
        }
    }

    final Repo repo = new Repo();

    @Test
    void once() {
        repo.load(1);
        Profile.assertCalls("Repo.load", 1);
        Profile.assertCalls("Repo.save", 0);
    }

    @Test
    void wrongTwice() {
        repo.load(1);
        repo.load(2);
        Profile.assertCalls("Repo.load", 1);
    }

    @Test
    @ExpectCalls(value = "RepoTest$Repo.load", exactly = 30000)
    @ExpectCalls(value = "Repo.save", max = 0)
    void often() {
        for (int i = 0; i < 30000; i++) repo.load(i);
    }

    @Test
    @ExpectCalls(value = "Repo.save", min = 1, max = 2)
    void wrongTooOften() {
        for (int i = 0; i < 3; i++) repo.save("x");
    }

    @Test
    @ExpectCalls("Repo.save")
    void wrongNever() {
    }
}
