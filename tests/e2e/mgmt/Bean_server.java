import java.lang.management.*;
import java.util.TreeSet;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;

public class Bean_server {
    public interface CounterMBean {
        int getCount();
        void setCount(int n);
        int add(int n);
    }

    public static class Counter implements CounterMBean {
        int count;
        public int getCount() { return count; }
        public void setCount(int n) { count = n; }
        public int add(int n) { return count += n; }
    }

    public static void main(String[] args) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        TreeSet<String> names = new TreeSet<>();
        for (ObjectName n : server.queryNames(new ObjectName("java.lang:*"), null))
            if (n.getKeyProperty("name") == null && !n.getKeyProperty("type").equals("Compilation")) names.add(n.toString());
        System.out.println(names);
        ObjectName mine = new ObjectName("test:type=Counter");
        server.registerMBean(new Counter(), mine);
        server.setAttribute(mine, new Attribute("Count", 5));
        System.out.println(server.invoke(mine, "add", new Object[] {3}, new String[] {"int"}));
        System.out.println(server.getAttribute(mine, "Count"));
        System.out.println(server.getMBeanInfo(mine).getOperations().length);
        server.unregisterMBean(mine);
        try { server.getAttribute(mine, "Count"); } catch (InstanceNotFoundException e) { System.out.println(e.getMessage()); }
        CompositeData heap = (CompositeData) server.getAttribute(new ObjectName("java.lang:type=Memory"), "HeapMemoryUsage");
        System.out.println(MemoryUsage.from(heap).getCommitted() > 0);
        CompositeData[] infos = (CompositeData[]) server.invoke(new ObjectName("java.lang:type=Threading"), "dumpAllThreads",
                new Object[] {true, true}, new String[] {"boolean", "boolean"});
        for (CompositeData d : infos) {
            ThreadInfo i = ThreadInfo.from(d);
            if (i.getThreadName().equals("main")) System.out.println(i.getThreadState() + " " + (i.getStackTrace().length > 3));
        }
        ThreadMXBean proxy = ManagementFactory.newPlatformMXBeanProxy(server, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        System.out.println(proxy.getThreadInfo(Thread.currentThread().getId()).getThreadName());
        ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
        String[] wanted = {"help", "vmVersion", "vmFlags", "threadPrint", "gcRun", "gcClassHistogram", "vmUptime",
                "vmCommandLine", "vmSystemProperties", "gcHeapInfo"};
        TreeSet<String> found = new TreeSet<>();
        for (var o : server.getMBeanInfo(commands).getOperations())
            for (String w : wanted) if (o.getName().equals(w)) found.add(w + " " + o.getReturnType());
        System.out.println(found);
        Object[] locks = {new String[] {"-l"}};
        String[] type = {String[].class.getName()};
        String dump = (String) server.invoke(commands, "threadPrint", locks, type);
        System.out.println(dump.contains("\"main\" #1") && dump.contains("Locked ownable synchronizers"));
        String list = (String) server.invoke(commands, "help", new Object[] {new String[0]}, type);
        System.out.println(list.contains("GC.class_histogram"));
        System.out.println(((String) server.invoke(commands, "gcClassHistogram", new Object[] {new String[0]}, type)).contains("java.lang.String"));
        System.out.println(((String) server.invoke(commands, "vmUptime", new Object[] {new String[0]}, type)).matches("[0-9.]+ s\\s*"));
        try {
            server.invoke(commands, "threadPrint", new Object[] {new String[] {"nonsense"}}, type);
        } catch (Exception e) {
            System.out.println(e.getClass().getName() + " " + e.getCause());
        }
    }
}
