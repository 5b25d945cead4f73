package cabernet.junit;

import cabernet.Profile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * JUnit 5: counts the calls of each test from zero ({@link Profile#countCalls}), for {@link Profile#assertCalls} in the
 * test and for the {@link ExpectCalls} of the test and its class. Counts are of the whole process, so tests that run at
 * the same time see the calls of each other. On other VMs such tests are disabled.
 */
public final class CountedCalls implements ExecutionCondition, BeforeTestExecutionCallback, AfterTestExecutionCallback {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        try {
            Profile.status();
            return ConditionEvaluationResult.enabled("runs on cabernet");
        } catch (LinkageError e) {
            return ConditionEvaluationResult.disabled("calls are counted on cabernet alone");
        }
    }

    @Override
    public void beforeTestExecution(ExtensionContext context) {
        Profile.countCalls();
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) return;
        List<ExpectCalls> expected = new ArrayList<>();
        context.getTestClass().ifPresent(c -> expected.addAll(AnnotationSupport.findRepeatableAnnotations(c, ExpectCalls.class)));
        context.getTestMethod().ifPresent(m -> expected.addAll(AnnotationSupport.findRepeatableAnnotations(m, ExpectCalls.class)));
        for (ExpectCalls e : expected) {
            if (e.exactly() >= 0) Profile.assertCalls(e.value(), e.exactly());
            else Profile.assertCalls(e.value(), e.min() >= 0 ? e.min() : e.max() == Long.MAX_VALUE ? 1 : 0, e.max());
        }
    }
}
