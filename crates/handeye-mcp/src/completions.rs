//! `completion/complete`: what an argument of a prompt or a variable of a resource template may become.

use crate::Server;
use crate::prompts::argument::Kind;
use handeye_core::screen_text;
use handeye_resources::suggestions::Subject;
use handeye_service::toolbox::Toolbox;
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionContext, CompletionInfo, Reference};

/// The variable of a template that names an application.
const NAME: &str = "name";
/// The variable of a template that numbers a window.
const INDEX: &str = "index";
/// Longest text that is looked for, in characters; nothing has a longer name.
const MAX_CHARS: usize = 200;

/// What is to be completed.
enum Question<'a> {
    /// A name on this desktop.
    Name(Subject<'a>),
    /// The last of several applications, separated by commas.
    Applications,
    /// One of these.
    Choice(&'static [&'static str]),
    /// Nothing that could be guessed.
    Open,
}

impl Server {
    pub(crate) async fn completions(
        &self,
        request: CompleteRequestParams,
    ) -> Result<CompleteResult, ErrorData> {
        let given = |name: &str| earlier(request.context.as_ref(), name);
        let argument = request.argument.name.as_str();
        let question = match &request.r#ref {
            Reference::Prompt(prompt) => self.of_prompt(&prompt.name, argument, given)?,
            Reference::Resource(template) => of_template(self.toolbox(), &template.uri, argument, given)?,
            _ => return Err(ErrorData::invalid_params("'ref' must be a ref/prompt or a ref/resource", None)),
        };
        let typed: String = request.argument.value.chars().take(MAX_CHARS).collect();
        let values = match question {
            Question::Name(subject) => self.suggest(subject, &typed).await,
            Question::Applications => {
                let (before, last) =
                    typed.rsplit_once(',').map_or(("", &*typed), |(before, last)| (before, last));
                let listed: Vec<&str> =
                    before.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
                let found = self.suggest(Subject::Application, last.trim()).await;
                let new =
                    found.into_iter().filter(|name| !listed.iter().any(|old| old.eq_ignore_ascii_case(name)));
                new.map(|name| listed.iter().copied().chain([&*name]).collect::<Vec<_>>().join(", "))
                    .collect()
            }
            Question::Choice(choices) => {
                let typed = typed.trim().to_lowercase();
                let fits = |choice: &&&str| choice.to_lowercase().starts_with(&typed);
                choices.iter().filter(fits).map(|choice| (*choice).to_owned()).collect()
            }
            Question::Open => Vec::new(),
        };
        bounded(values)
    }

    /// What a name may become, unless the tool that reports it is off or the policy forbids its call.
    async fn suggest(&self, subject: Subject<'_>, typed: &str) -> Vec<String> {
        if !self.toolbox().suggests(subject) || self.check(&subject.judged_as()).is_err() {
            return Vec::new();
        }
        let mut values = self.recall.suggestions(&self.engine.desk, subject, typed).await;
        // Nobody can choose a name without its secret.
        values.retain(|value| !self.engine.desk.redactor.is_secret(value));
        values
    }

    fn of_prompt<'a>(
        &self,
        prompt: &str,
        argument: &str,
        given: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<Question<'a>, ErrorData> {
        let prompt = self.prompt(prompt)?;
        let names = || prompt.arguments.iter().map(|argument| argument.name);
        let found = prompt.arguments.iter().find(|known| known.name == argument);
        let kind = found.ok_or_else(|| unknown(argument, prompt.name, names()))?.kind;
        let in_application = |of: &str, subject: fn(&'a str) -> Subject<'a>| {
            given(of).map_or(Question::Open, |application| Question::Name(subject(application)))
        };
        Ok(match kind {
            Kind::Application => Question::Name(Subject::Application),
            Kind::Applications => Question::Applications,
            Kind::Region(of) => in_application(of, |of| Subject::Region { of }),
            Kind::Element(of) => in_application(of, |of| Subject::Element { of }),
            Kind::Way(of) => in_application(of, |of| Subject::Way { of }),
            Kind::Choice(choices) => Question::Choice(choices),
            Kind::Text => Question::Open,
        })
    }
}

fn of_template<'a>(
    toolbox: &Toolbox,
    uri: &str,
    variable: &str,
    given: impl Fn(&str) -> Option<&'a str>,
) -> Result<Question<'a>, ErrorData> {
    let shown = screen_text::line(uri, 120);
    if !toolbox.templates().any(|template| template.uri == uri) {
        let known: Vec<&str> = toolbox.templates().map(|template| template.uri).collect();
        let message = format!("there is no resource template '{shown}'; there are {}", known.join(", "));
        return Err(ErrorData::invalid_params(message, None));
    }
    let variables = [NAME, INDEX].into_iter().filter(|name| uri.contains(&format!("{{{name}}}")));
    if !variables.clone().any(|known| known == variable) {
        return Err(unknown(variable, uri, variables));
    }
    Ok(match (variable, given(NAME)) {
        (INDEX, Some(of)) => Question::Name(Subject::Window { of }),
        (INDEX, None) => Question::Open,
        _ => Question::Name(Subject::Application),
    })
}

/// What was chosen for another argument before.
fn earlier<'a>(context: Option<&'a CompletionContext>, name: &str) -> Option<&'a str> {
    let value = context?.get_argument(name)?.trim();
    (!value.is_empty() && value.chars().count() <= MAX_CHARS).then_some(value)
}

fn unknown<'a>(argument: &str, of: &str, known: impl Iterator<Item = &'a str>) -> ErrorData {
    let shown = screen_text::line(argument, 80);
    let known = known.collect::<Vec<_>>().join(", ");
    ErrorData::invalid_params(format!("{of} has no argument '{shown}'; it has {known}"), None)
}

/// The first values, as many as the protocol allows, and how many there are.
fn bounded(mut values: Vec<String>) -> Result<CompleteResult, ErrorData> {
    let total = values.len();
    let more = total > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(values, u32::try_from(total).ok(), more)
        .map(CompleteResult::new)
        .map_err(|fault| ErrorData::internal_error(fault, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_resources::catalog::TEMPLATES;

    #[test]
    fn at_most_a_hundred_values_are_given_and_all_are_counted() {
        let of = |count: usize| {
            let result = bounded((0..count).map(|n| n.to_string()).collect()).expect("bounded");
            (result.completion.values.len(), result.completion.total, result.completion.has_more)
        };
        assert_eq!(of(0), (0, Some(0), Some(false)));
        assert_eq!(of(100), (100, Some(100), Some(false)));
        assert_eq!(of(101), (100, Some(101), Some(true)));
    }

    #[test]
    fn every_variable_of_every_template_is_known() {
        for template in TEMPLATES {
            let mut rest = template.uri;
            let mut count = 0;
            while let Some((_, after)) = rest.split_once('{') {
                let (variable, after) = after.split_once('}').expect("a template has its braces in pairs");
                assert!(
                    of_template(&Toolbox::default(), template.uri, variable, |_| None).is_ok(),
                    "{variable} of {}",
                    template.uri
                );
                (rest, count) = (after, count + 1);
            }
            assert!(count > 0, "{}", template.uri);
        }
    }

    #[test]
    fn what_does_not_exist_is_reported() {
        for (uri, variable) in [
            ("handeye://nothing/{name}", "name"),
            ("handeye://app/{name}/tree", "index"),
            ("handeye://app/{name}/tree", ""),
            ("handeye://apps", "name"),
        ] {
            let error = of_template(&Toolbox::default(), uri, variable, |_| None)
                .err()
                .expect("there is no such thing");
            assert_eq!(error.code.0, -32602, "{uri} {variable}");
        }
    }
}
