import java.awt.BorderLayout;
import java.awt.Component;
import java.awt.GridLayout;
import java.awt.KeyboardFocusManager;
import java.awt.datatransfer.DataFlavor;
import java.awt.datatransfer.StringSelection;
import java.awt.dnd.DnDConstants;
import java.awt.dnd.DragSource;
import java.awt.dnd.DropTarget;
import java.awt.dnd.DropTargetAdapter;
import java.awt.dnd.DropTargetDropEvent;
import java.awt.event.InputEvent;
import java.awt.event.KeyEvent;
import java.awt.event.MouseAdapter;
import java.awt.event.MouseEvent;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
import javax.swing.JPopupMenu;
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
    private JScrollPane list;

    public static void main(String[] words) {
        SwingUtilities.invokeLater(() -> new SwingFixture().show(words.length > 0 ? words[0] : "Fixture"));
    }

    private void set(String key, Object value) {
        if (value.equals(state.put(key, value))) {
            return;
        }
        status.setText("%s clicks, %s double clicks, %s menus, %s drops, key %s".formatted(state.get("count"), state.get("double"),
                state.get("context"), state.get("dropped"), state.get("chord")));
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

    private void add(String key) {
        set(key, (Integer) state.getOrDefault(key, 0) + 1);
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
        for (String counted : new String[] {"count", "double", "triple", "hovered", "context", "chosen", "dropped", "dropped_there", "scroll"}) {
            set(counted, 0);
        }
        set("chord", "none");
        KeyboardFocusManager.getCurrentKeyboardFocusManager().addKeyEventDispatcher(event -> {
            if (event.getID() == KeyEvent.KEY_PRESSED) {
                chord(event);
            }
            return false;
        });
        frame.setVisible(true);
        String commands = System.getenv("APP_COMMANDS");
        if (commands != null) {
            log("");
            Thread reader = new Thread(() -> obey(commands));
            reader.setDaemon(true);
            reader.start();
        }
    }

    private void chord(KeyEvent event) {
        int key = event.getKeyCode();
        if (key != KeyEvent.VK_CONTROL && key != KeyEvent.VK_SHIFT && key != KeyEvent.VK_ALT && key != KeyEvent.VK_META) {
            int held = event.getModifiersEx();
            set("chord", ((held & InputEvent.CTRL_DOWN_MASK) != 0 ? "ctrl+" : "") + ((held & InputEvent.SHIFT_DOWN_MASK) != 0 ? "shift+" : "")
                    + ((held & InputEvent.ALT_DOWN_MASK) != 0 ? "alt+" : "") + KeyEvent.getKeyText(key).toLowerCase(java.util.Locale.ROOT));
        }
    }

    /** Carries out the commands of another party, see common.py. */
    private void obey(String path) {
        Pattern form = Pattern.compile("\"id\": (\\d+), \"do\": \"(\\w+)\"(?:, \"title\": \"(.*)\")?");
        // Opened for writing too, so that the end of one sender is not the end of the file.
        try (RandomAccessFile fifo = new RandomAccessFile(path, "rw");
                BufferedReader lines = new BufferedReader(new InputStreamReader(new FileInputStream(fifo.getFD()), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher command = form.matcher(line);
                if (command.find()) {
                    SwingUtilities.invokeLater(() -> obey(command.group(1), command.group(2), command.group(3)));
                }
            }
        } catch (IOException fault) {
            throw new java.io.UncheckedIOException(fault);
        }
    }

    private void otherWindow(String title) {
        JFrame other = new JFrame(title);
        other.add(target("Other target", "dropped_there"));
        other.setSize(320, 110);
        other.setVisible(true);
    }

    private void obey(String id, String name, String title) {
        String error = "";
        switch (name) {
            case "scroll_to_top" -> list.getVerticalScrollBar().setValue(0);
            case "other_window" -> otherWindow(title);
            default -> error = ", \"error\": \"there is no such command\"";
        }
        log("{\"done\": " + id + error + "}\n");
    }

    private static void log(String line) {
        try {
            Files.writeString(Path.of(System.getenv("APP_LOG")), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException fault) {
            throw new java.io.UncheckedIOException(fault);
        }
    }

    private void context(Component on, int x, int y) {
        add("context");
        JPopupMenu menu = new JPopupMenu();
        JMenuItem entry = new JMenuItem("Context entry");
        entry.addActionListener(event -> add("chosen"));
        menu.add(entry);
        menu.show(on, x, y);
    }

    private JButton multi() {
        JButton multi = new JButton("Multi");
        multi.addMouseListener(new MouseAdapter() {
            @Override public void mousePressed(MouseEvent event) {
                if (event.isPopupTrigger()) {
                    context(multi, event.getX(), event.getY());
                }
            }
            @Override public void mouseClicked(MouseEvent event) {
                if (event.getClickCount() == 2) {
                    add("double");
                }
                if (event.getClickCount() == 3) {
                    add("triple");
                }
            }
        });
        multi.addMouseMotionListener(new MouseAdapter() {
            @Override public void mouseMoved(MouseEvent event) {
                add("hovered");
            }
        });
        return multi;
    }

    private JLabel source() {
        JLabel source = new JLabel("Drag source");
        DragSource.getDefaultDragSource().createDefaultDragGestureRecognizer(source, DnDConstants.ACTION_COPY,
                gesture -> gesture.startDrag(null, new StringSelection("dragged")));
        return source;
    }

    private JLabel target(String text, String key) {
        JLabel target = new JLabel(text);
        new DropTarget(target, new DropTargetAdapter() {
            @Override public void drop(DropTargetDropEvent event) {
                event.acceptDrop(DnDConstants.ACTION_COPY);
                add(key);
                event.dropComplete(event.isDataFlavorSupported(DataFlavor.stringFlavor));
            }
        });
        return target;
    }

    private JComponent first() {
        JPanel box = new JPanel();
        box.setLayout(new BoxLayout(box, BoxLayout.Y_AXIS));
        JButton count = new JButton("Count");
        count.addActionListener(event -> add("count"));
        box.add(count);
        box.add(multi());
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
        list = new JScrollPane(items);
        list.getVerticalScrollBar().addAdjustmentListener(event -> set("scroll", event.getValue()));
        box.add(list);
        box.add(source());
        box.add(target("Drop target", "dropped"));
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
