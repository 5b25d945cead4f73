package cabernet.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * How often a test may enter methods: {@code @ExpectCalls(value = "Repo.load", exactly = 1)}. The names are those of
 * {@link cabernet.Calls#of}. Without numbers the methods must be entered.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(ExpectCalls.All.class)
@ExtendWith(CountedCalls.class)
public @interface ExpectCalls {
    String value();

    /** The exact number of entries; -1: {@link #min} and {@link #max} are the bounds. */
    long exactly() default -1;

    long min() default -1;

    long max() default Long.MAX_VALUE;

    /** Several of them. */
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @ExtendWith(CountedCalls.class)
    @interface All {
        ExpectCalls[] value();
    }
}
