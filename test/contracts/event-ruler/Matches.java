import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import software.amazon.event.ruler.Machine;

/** Reads a pattern and an event from each line, as a list in JSON. Prints whether AWS's matcher finds that they match, or why it refuses. */
public class Matches {
  public static void main(String[] given) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    StringBuilder answers = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode both = mapper.readTree(line);
      try {
        Machine machine = new Machine();
        machine.addRule("rule", both.get(0).toString());
        answers.append(!machine.rulesForJSONEvent(both.get(1).toString()).isEmpty());
      } catch (Exception refused) {
        answers.append("refused");
      }
      answers.append('\n');
    }
    System.out.print(answers);
  }
}
