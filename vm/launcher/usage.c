// Output of `cabernet -help`.
#include <stdio.h>

#include "vm/launcher/args.h"
#include "vm/base/options.h"

void usage_print(bool to_stdout) {
    FILE *out = to_stdout ? stdout : stderr;
    fputs("Usage: cabernet [options] <mainclass> [args...]\n"
          "           (to execute a class)\n"
          "   or  cabernet [options] -jar <jarfile> [args...]\n"
          "           (to execute a jar file)\n"
          "   or  cabernet [options] -m <module>[/<mainclass>] [args...]\n"
          "       cabernet [options] --module <module>[/<mainclass>] [args...]\n"
          "           (to execute the main class in a module)\n"
          "   or  cabernet [options] <sourcefile> [args]\n"
          "           (to execute a single source-file program)\n"
          "\n"
          " where options include:\n"
          "\n"
          "    -cp, -classpath, --class-path <path>\n"
          "                  directories and jars to search, separated by :  (dir/* is every jar of dir)\n"
          "    -p, --module-path <path>        --upgrade-module-path <path>\n"
          "    --add-modules <module>[,...]    --limit-modules <module>[,...]\n"
          "    --add-exports, --add-opens, --add-reads <module>...\n"
          "    --list-modules, -d <module>, --validate-modules, --dry-run\n"
          "    -D<name>=<value>\n"
          "                  set a system property\n"
          "    -Xprofile[:<analysis>[,...][:<option>=<value>...]]\n"
          "                  profile the program, by itself where its time goes; -Xprofile:help lists what else\n"
          "    -ea, -da[:<packagename>...|:<classname>]    -esa, -dsa\n"
          "                  enable or disable assertions\n"
          "    -verbose:[class|gc|jni]\n"
          "    -version, --version, -showversion, --show-version\n"
          "    -? -h -help, --help             this text (to stderr; --help to stdout)\n"
          "    -X, --help-extra                options of the virtual machine\n"
          "    @<argument files>               files of options\n"
          "    --disable-@files                no further expansion of argument files\n"
          "\n"
          "The class library is that of an installed JDK 17: the one of CABERNET_JAVA_HOME, of JAVA_HOME\n"
          "if it is a 17, or the one found under /usr/lib/jvm.\n",
          out);
}
