import java.awt.BorderLayout;
import java.awt.GridLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;
import javax.swing.BoxLayout;
import javax.swing.ButtonGroup;
import javax.swing.DefaultListModel;
import javax.swing.JButton;
import javax.swing.JCheckBox;
import javax.swing.JComboBox;
import javax.swing.JComponent;
import javax.swing.JDialog;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JList;
import javax.swing.JMenu;
import javax.swing.JMenuBar;
import javax.swing.JMenuItem;
import javax.swing.JPanel;
import javax.swing.JPasswordField;
import javax.swing.JRadioButton;
import javax.swing.JScrollPane;
import javax.swing.JSlider;
import javax.swing.JSpinner;
import javax.swing.JTabbedPane;
import javax.swing.JTextArea;
import javax.swing.JTextField;
import javax.swing.JToggleButton;
import javax.swing.SpinnerNumberModel;
import javax.swing.SwingUtilities;
import javax.swing.event.DocumentEvent;
import javax.swing.event.DocumentListener;
import javax.swing.text.JTextComponent;

/** The fixture application on Java Swing. Its names and its state are those of common.py; run with `java SwingFixture.java TITLE`. */
public final class SwingFixture {
    private final Map<String, Object> state = new TreeMap<>();
    private final JLabel status = new JLabel(" ");

    public static void main(String[] words) {
        SwingUtilities.invokeLater(() -> new SwingFixture().show(words.length > 0 ? words[0] : "Fixture"));
    }

    private void set(String key, Object value) {
        if (value.equals(state.put(key, value))) {
            return;
        }
        status.setText(state.get("count") + " clicks");
        String path = System.getenv("APP_LOG");
        if (path == null) {
            return;
        }
        StringBuilder json = new StringBuilder();
        state.forEach((name, now) -> json.append(json.length() == 0 ? "{" : ", ").append(quoted(name)).append(": ")
                .append(now instanceof String text ? quoted(text) : now.toString()));
        try {
            Path draft = Path.of(path + ".state.draft");
            Files.writeString(draft, json.append("}").toString());
            Files.move(draft, Path.of(path + ".state"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException fault) {
            throw new java.io.UncheckedIOException(fault);
        }
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t") + "\"";
    }

    private static <T extends JComponent> T named(T component, String name) {
        component.getAccessibleContext().setAccessibleName(name);
        return component;
    }

    private <T extends JTextComponent> T told(T field, String name, String key) {
        field.getDocument().addDocumentListener(new DocumentListener() {
            @Override public void insertUpdate(DocumentEvent event) { set(key, field.getText()); }
            @Override public void removeUpdate(DocumentEvent event) { set(key, field.getText()); }
            @Override public void changedUpdate(DocumentEvent event) { set(key, field.getText()); }
        });
        set(key, "");
        return named(field, name);
    }

    private void show(String title) {
        JFrame frame = new JFrame(title);
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        JPanel columns = new JPanel(new GridLayout(1, 3, 8, 8));
        columns.add(first());
        columns.add(second());
        JTabbedPane tabs = new JTabbedPane();
        tabs.addTab("General", new JLabel("General page"));
        tabs.addTab("Advanced", new JLabel("Advanced page"));
        tabs.addChangeListener(event -> set("tab", tabs.getTitleAt(tabs.getSelectedIndex())));
        columns.add(tabs);
        JMenu file = new JMenu("File");
        JMenuItem about = new JMenuItem("About");
        about.addActionListener(event -> about(frame));
        file.add(about);
        JMenuBar bar = new JMenuBar();
        bar.add(file);
        frame.setJMenuBar(bar);
        frame.add(columns, BorderLayout.CENTER);
        frame.add(status, BorderLayout.SOUTH);
        frame.setSize(900, 620);
        set("tab", "General");
        set("dialog", false);
        set("count", 0);
        frame.setVisible(true);
    }

    private JComponent first() {
        JPanel box = new JPanel();
        box.setLayout(new BoxLayout(box, BoxLayout.Y_AXIS));
        JButton count = new JButton("Count");
        count.addActionListener(event -> set("count", (Integer) state.get("count") + 1));
        box.add(count);
        box.add(told(new JTextField(), "Name", "name"));
        box.add(told(new JPasswordField(), "Secret", "secret"));
        box.add(new JScrollPane(told(new JTextArea(4, 20), "Notes", "notes")));
        JCheckBox agree = new JCheckBox("Agree");
        agree.addItemListener(event -> set("agree", agree.isSelected()));
        JToggleButton bold = new JToggleButton("Bold");
        bold.addItemListener(event -> set("bold", bold.isSelected()));
        box.add(agree);
        box.add(bold);
        set("agree", false);
        set("bold", false);
        ButtonGroup group = new ButtonGroup();
        for (String colour : new String[] {"Red", "Green", "Blue"}) {
            JRadioButton radio = new JRadioButton(colour, colour.equals("Red"));
            radio.addItemListener(event -> { if (radio.isSelected()) { set("colour", colour); } });
            group.add(radio);
            box.add(radio);
        }
        set("colour", "Red");
        return box;
    }

    private JComponent second() {
        JPanel box = new JPanel();
        box.setLayout(new BoxLayout(box, BoxLayout.Y_AXIS));
        JComboBox<String> size = named(new JComboBox<>(new String[] {"Small", "Medium", "Large"}), "Size");
        size.addActionListener(event -> set("size", (String) size.getSelectedItem()));
        JSlider volume = named(new JSlider(0, 100, 20), "Volume");
        volume.addChangeListener(event -> set("volume", volume.getValue()));
        JSpinner amount = named(new JSpinner(new SpinnerNumberModel(5, 0, 100, 1)), "Amount");
        amount.addChangeListener(event -> set("amount", amount.getValue()));
        DefaultListModel<String> rows = new DefaultListModel<>();
        for (int number = 1; number <= 30; number++) {
            rows.addElement("Item " + number);
        }
        JList<String> items = named(new JList<>(rows), "Items");
        items.addListSelectionListener(event -> set("selected", String.valueOf(items.getSelectedValue())));
        set("size", "Small");
        set("volume", 20);
        set("amount", 5);
        set("selected", "null");
        box.add(size);
        box.add(volume);
        box.add(amount);
        box.add(new JScrollPane(items));
        return box;
    }

    private void about(JFrame owner) {
        JDialog dialog = new JDialog(owner, "About Fixture");
        JButton close = new JButton("Close About");
        close.addActionListener(event -> dialog.dispose());
        dialog.addWindowListener(new java.awt.event.WindowAdapter() {
            @Override public void windowClosed(java.awt.event.WindowEvent event) { set("dialog", false); }
        });
        dialog.add(close);
        dialog.pack();
        dialog.setVisible(true);
        set("dialog", true);
    }
}
