import cabernet.Profile;

/**
 * Switches cabernet's profile on for the measured turns alone: the one of the command line's -Xprofile:, or else what the property
 * repeat.profile says, method-count,call-edge without it. Other VMs do not have the class cabernet.Profile and must not be given this
 * callback.
 */
public final class MeasuredProfile implements Repeat.Callback {
    private boolean begun = !Profile.status().startsWith("no profile");

    public MeasuredProfile() {
        if (begun) Profile.stop();
    }

    @Override
    public void start(int turn, boolean measured) {
        if (!measured) return;
        if (begun) Profile.start();
        else Profile.start(System.getProperty("repeat.profile", "method-count,call-edge"));
        begun = true;
    }

    @Override
    public void stop(int turn, boolean measured) {
        if (measured) Profile.stop();
    }
}
