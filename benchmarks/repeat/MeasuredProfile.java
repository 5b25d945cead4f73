import cabernet.Profile;

/**
 * Switches cabernet's profile on only for the measured turns: that of the command line's -Xprofile:, else that of the
 * property repeat.profile, by default method-count,call-edge. Other VMs lack the class cabernet.Profile and must not
 * get this callback.
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
