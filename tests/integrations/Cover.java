import org.apache.commons.cli.BasicParser;
import org.apache.commons.cli.CommandLine;
import org.apache.commons.cli.CommandLineParser;
import org.apache.commons.cli.DefaultParser;
import org.apache.commons.cli.GnuParser;
import org.apache.commons.cli.HelpFormatter;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.OptionGroup;
import org.apache.commons.cli.Options;
import org.apache.commons.cli.ParseException;
import org.apache.commons.cli.PosixParser;

/** Uses a part of a library; its coverage is compared. */
public class Cover {
    public static void main(String[] args) throws Exception {
        Options options = new Options();
        options.addOption("a", "all", false, "everything");
        options.addOption(Option.builder("n").longOpt("number").hasArg().type(Number.class).desc("a number").build());
        options.addOption(Option.builder("D").hasArgs().valueSeparator('=').build()).addRequiredOption("r", "req", true, "needed");
        OptionGroup group = new OptionGroup();
        group.addOption(new Option("x", "one"));
        group.addOption(new Option("y", "two"));
        options.addOptionGroup(group);
        String[][] lines = {{"-a", "-n", "7", "-r", "1", "rest"}, {"--all", "--number=8", "--req", "2", "-Dk=v", "-Dq=w", "-x"},
            {"-r", "1", "-x", "-y"}, {"-a"}, {"-r"}, {"--nosuch", "-r", "1"}, {"-r", "1", "--", "-a"}, {"-an", "3", "-r1"}, {"-r", "1", "--al"}};
        for (String[] words : lines) {
            for (CommandLineParser parser : new CommandLineParser[] {new DefaultParser(), new PosixParser(), new GnuParser(), new BasicParser()}) {
                try {
                    CommandLine line = parser.parse(options, words);
                    System.out.println(line.hasOption("a") + " " + line.getOptionValue("n", "none") + " " + line.getArgList() + " "
                        + line.getOptionProperties("D") + " " + line.getParsedOptionValue("n"));
                } catch (ParseException e) {
                    System.out.println(e.getMessage());
                }
            }
        }
        new HelpFormatter().printHelp("cover", "header", options, "footer which is broken into several lines by the library", true);
    }
}
