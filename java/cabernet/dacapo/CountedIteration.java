package cabernet.dacapo;

import cabernet.Profile;
import org.dacapo.harness.Callback;
import org.dacapo.harness.CommandLineArgs;

/**
 * A callback for DaCapo ({@code -c cabernet.dacapo.CountedIteration}): the profile has the timed iteration alone. It is the one of the
 * command line's {@code -Xprofile:}, or else what the property {@code cabernet.profile} says, {@code method-count,call-edge} without it.
 */
public class CountedIteration extends Callback {
    private boolean begun;

    public CountedIteration(CommandLineArgs args) {
        super(args);
        begun = !Profile.status().startsWith("no profile");
        if (begun) Profile.stop();
    }

    @Override
    public void start(String benchmark) {
        if (!isWarmup()) {
            if (begun) Profile.start();
            else Profile.start(System.getProperty("cabernet.profile", "method-count,call-edge"));
            begun = true;
        }
        super.start(benchmark);
    }

    @Override
    public void stop(long duration) {
        if (!isWarmup()) Profile.stop();
        super.stop(duration);
    }
}
