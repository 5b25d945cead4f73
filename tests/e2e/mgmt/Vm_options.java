// vm: -Xmx96m -XX:MaxJavaStackTraceDepth=77 -XX:-ShowCodeDetailsInExceptionMessages
import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import java.lang.management.ManagementFactory;

public class Vm_options {
    public static void main(String[] args) {
        HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        for (String name : new String[] {"MaxHeapSize", "MaxJavaStackTraceDepth", "ShowCodeDetailsInExceptionMessages",
                "DisableExplicitGC", "StackTraceInThrowable"}) {
            VMOption o = bean.getVMOption(name);
            System.out.println(o.getName() + "=" + o.getValue() + " " + (o.getOrigin() == VMOption.Origin.DEFAULT)
                    + " " + o.isWriteable());
        }
        try { bean.getVMOption("NoSuchFlag"); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        try { bean.getVMOption(null); } catch (NullPointerException e) { System.out.println("null"); }
        try { bean.setVMOption("MaxHeapSize", "1"); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        try { bean.setVMOption("NoSuchFlag", "1"); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        for (VMOption o : bean.getDiagnosticOptions())
            if (!o.isWriteable()) System.out.println("not writeable " + o);
    }
}
