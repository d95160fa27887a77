import java.awt.Container;
import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import javax.swing.BoxLayout;
import javax.swing.JButton;
import javax.swing.JCheckBox;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JMenu;
import javax.swing.JMenuBar;
import javax.swing.JMenuItem;
import javax.swing.JScrollPane;
import javax.swing.JTable;
import javax.swing.JTree;
import javax.swing.SwingUtilities;
import javax.swing.Timer;

/** Things that work and things that do nothing, on Swing, which makes the objects of cells anew for every reader. With the property tick a
 * text that changes by itself every so many milliseconds. */
public final class Noisy {
  private static int count;

  public static void main(String[] words) throws IOException {
    PrintWriter log = new PrintWriter(new FileWriter(System.getenv("APP_LOG"), true), true);
    SwingUtilities.invokeLater(() -> show(words[0], log));
  }

  private static void show(String title, PrintWriter log) {
    JLabel shown = new JLabel("0 counted");
    Runnable tally = () -> {
      count += 1;
      shown.setText(count + " counted");
      log.println("count " + count);
    };
    JButton button = new JButton("Count");
    button.addActionListener(event -> tally.run());
    JCheckBox mark = new JCheckBox("Mark");
    mark.addActionListener(event -> log.println("marked " + mark.isSelected()));
    JMenu file = new JMenu("File");
    JMenuItem item = new JMenuItem("Tally");
    item.addActionListener(event -> tally.run());
    file.add(item);
    file.add(new JMenuItem("Idle"));
    JMenuBar bar = new JMenuBar();
    bar.add(file);
    JTable table = new JTable(8, 4);
    for (int row = 0; row < 8; row += 1) {
      for (int column = 0; column < 4; column += 1) {
        table.setValueAt("r" + row + "c" + column, row, column);
      }
    }
    JFrame frame = new JFrame(title);
    frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
    frame.setJMenuBar(bar);
    Container box = frame.getContentPane();
    box.setLayout(new BoxLayout(box, BoxLayout.Y_AXIS));
    box.add(button);
    box.add(new JButton("Nothing"));
    box.add(mark);
    box.add(shown);
    if (System.getProperty("tick") != null) {
      JLabel clock = new JLabel("tock 0");
      int[] tocks = {0};
      new Timer(Integer.getInteger("tick"), event -> clock.setText("tock " + ++tocks[0])).start();
      box.add(clock);
    }
    box.add(new JScrollPane(table));
    box.add(new JScrollPane(new JTree()));
    frame.setSize(500, 600);
    frame.setVisible(true);
  }
}
