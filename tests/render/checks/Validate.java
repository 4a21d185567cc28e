import java.io.FileInputStream;
import java.io.InputStream;
import java.util.List;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/**
 * Holds PDF files against PDF/A-3a and PDF/UA-1 with veraPDF.
 *
 * Prints for every file and standard one line "file TAB standard TAB number of assertions", and one line
 * "file TAB standard TAB clause-test TAB message TAB context" for each that failed. Exit code 0 unless it crashed.
 */
public class Validate {
    public static void main(String[] files) throws Exception {
        VeraGreenfieldFoundryProvider.initialise();
        for (String file : files) {
            for (String id : List.of("3a", "ua1")) {
                PDFAFlavour flavour = PDFAFlavour.byFlavourId(id);
                try (InputStream stream = new FileInputStream(file);
                     PDFAParser parser = Foundries.defaultInstance().createParser(stream, flavour);
                     PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, false)) {
                    ValidationResult result = validator.validate(parser);
                    print(file, id, Integer.toString(result.getTotalAssertions()));
                    for (TestAssertion failed : result.getTestAssertions()) {
                        String rule = failed.getRuleId().getClause() + "-" + failed.getRuleId().getTestNumber();
                        print(file, id, rule, failed.getMessage(), failed.getLocation().getContext());
                    }
                }
            }
        }
    }

    private static void print(String... fields) {
        System.out.println(String.join("\t", fields).replaceAll("[\\r\\n]+", " "));
    }
}
