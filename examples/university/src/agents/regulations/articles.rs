//! The academic regulations of a university that does not exist, in English and Spanish.

/// An article; texts come as an English and Spanish pair.
#[derive(Debug)]
pub(super) struct Article {
    pub(super) number: usize,
    pub(super) title: (&'static str, &'static str),
    pub(super) text: (&'static str, &'static str),
    /// Further words that people use for the subject.
    pub(super) keywords: &'static str,
}

pub(super) const ARTICLES: &[Article] = &[
    Article {
        number: 1,
        title: ("Attendance", "Asistencia"),
        text: (
            "Attendance at seminars and laboratory sessions is compulsory. A student who misses more \
             than 20 % of them without a justified reason loses the right to the ordinary exam. \
             Illness, official sport and jury service are justified with a certificate within 5 \
             working days.",
            "La asistencia a seminarios y laboratorios es obligatoria. Quien falte a más del 20 % sin \
             causa justificada pierde el derecho a la convocatoria ordinaria. La enfermedad, el \
             deporte oficial y el deber de jurado se justifican con un certificado en 5 días hábiles.",
        ),
        keywords: "attend absence absent miss missed classes skip faltas falta faltar ausencia clase clases",
    },
    Article {
        number: 2,
        title: ("Exam sessions", "Convocatorias de examen"),
        text: (
            "Each course has two exam sessions a year, the ordinary one in January or June and the \
             extraordinary one in July. A student may sit the exam of one course at most four times. \
             The dean may grant a fifth session once.",
            "Cada asignatura tiene dos convocatorias de examen al año, la ordinaria en enero o junio y \
             la extraordinaria en julio. De una asignatura se dispone de cuatro convocatorias como \
             máximo. El decanato puede conceder una quinta por una sola vez.",
        ),
        keywords: "resit retake session sessions attempts convocatoria suspender repetir recuperación",
    },
    Article {
        number: 3,
        title: ("Conduct during exams", "Comportamiento en los exámenes"),
        text: (
            "Students identify themselves with their university card at the door. Telephones and smart \
             watches stay switched off and out of reach. Nobody leaves the room during the first 20 \
             minutes, and nobody enters it afterwards.",
            "El alumnado se identifica en la puerta con su carné universitario. Los teléfonos y relojes \
             inteligentes permanecen apagados y fuera del alcance. Nadie sale del aula en los primeros \
             20 minutos, y nadie entra después.",
        ),
        keywords: "phone telephone mobile late arrive conduct móvil teléfono llegar tarde identificación",
    },
    Article {
        number: 4,
        title: ("Grade scale", "Escala de calificaciones"),
        text: (
            "Grades go from 0 to 10 with one decimal. Below 5.0 is a fail, from 5.0 a pass, from 7.0 \
             good and from 9.0 outstanding. Honours may go to at most 5 % of the students of a course.",
            "Las calificaciones van de 0 a 10 con un decimal. Por debajo de 5,0 es suspenso, desde 5,0 \
             aprobado, desde 7,0 notable y desde 9,0 sobresaliente. La matrícula de honor puede darse \
             como máximo al 5 % del grupo.",
        ),
        keywords: "scale marks grading passing honours escala notas aprobado suspenso notable sobresaliente",
    },
    Article {
        number: 5,
        title: ("Appeals against grades", "Reclamación de calificaciones"),
        text: (
            "A student may ask for a review within 3 working days of the grade's publication. Against \
             the outcome of the review, an appeal to the department is possible within 10 working days. \
             A panel of three teachers decides on it within one month.",
            "Cabe pedir la revisión en los 3 días hábiles siguientes a la publicación de la nota. Contra \
             el resultado de la revisión se puede reclamar ante el departamento en 10 días hábiles. Un \
             tribunal de tres docentes resuelve en el plazo de un mes.",
        ),
        keywords: "appeal complain review regrade reclamar reclamación revisar revisión impugnar nota",
    },
    Article {
        number: 6,
        title: (
            "Adjustments for special needs",
            "Adaptaciones por necesidades especiales",
        ),
        text: (
            "Students with a disability or a chronic illness have the right to adjusted teaching and \
             exams. They apply to the inclusion service in the first month of the semester. Exams may be \
             extended by up to a third of their time.",
            "El alumnado con discapacidad o enfermedad crónica tiene derecho a adaptaciones en docencia \
             y exámenes. Se solicitan al servicio de inclusión en el primer mes del semestre. Los \
             exámenes pueden alargarse hasta un tercio de su tiempo.",
        ),
        keywords: "disability disabled dyslexia inclusion extra discapacidad dislexia adaptación inclusión",
    },
    Article {
        number: 7,
        title: ("Plagiarism and copying", "Plagio y copia"),
        text: (
            "Handing in the work of another person or of a machine as one's own is plagiarism. The work \
             is graded 0 and the case goes to the ethics committee. A repeated case may be punished with \
             exclusion for up to one year.",
            "Entregar como propio el trabajo de otra persona o de una máquina es plagio. El trabajo se \
             califica con un 0 y el caso pasa a la comisión de ética. La reincidencia puede castigarse \
             con la expulsión de hasta un año.",
        ),
        keywords: "plagiarise plagiarism cheat cheating copying thesis plagiar copiar copiando trampas",
    },
    Article {
        number: 8,
        title: ("Enrolment periods", "Periodos de inscripción"),
        text: (
            "Enrolment for the autumn is open from 1 to 20 September, and for the spring from 20 January \
             to 5 February. Late enrolment needs the leave of the dean. Whoever has not enrolled by then \
             cannot be assessed.",
            "La inscripción para otoño está abierta del 1 al 20 de septiembre, y para primavera del 20 \
             de enero al 5 de febrero. La inscripción tardía requiere autorización del decanato. Quien \
             no se inscriba en ese tiempo no puede ser evaluado.",
        ),
        keywords: "enrol enrollment register registration deadline inscribir inscribirme inscripción periodo",
    },
    Article {
        number: 9,
        title: ("Withdrawal from a course", "Anulación de asignaturas"),
        text: (
            "A course may be dropped until the sixth week of the semester without using up an exam \
             session. After that, withdrawal needs a serious reason. The faculty office answers within \
             10 working days.",
            "Una asignatura puede anularse hasta la sexta semana del semestre sin consumir convocatoria. \
             Después, la anulación exige una causa grave. La secretaría responde en 10 días hábiles.",
        ),
        keywords: "drop withdraw withdrawal quit anular anulación renunciar abandonar asignatura",
    },
    Article {
        number: 10,
        title: ("Final thesis", "Trabajo de fin de estudios"),
        text: (
            "The final thesis is written under a supervisor and defended before a panel. It may be handed \
             in once all other courses but one are passed. The defence is public and lasts 20 minutes.",
            "El trabajo de fin de estudios se hace con tutela y se defiende ante un tribunal. Se puede \
             depositar cuando solo falte una asignatura por aprobar. La defensa es pública y dura 20 \
             minutos.",
        ),
        keywords: "dissertation supervisor defence defend tribunal tutor defensa tfg tfm fin estudios",
    },
    Article {
        number: 11,
        title: ("Recognition of credits", "Reconocimiento de créditos"),
        text: (
            "Credits from another university are recognised when three quarters of the content agree. At \
             most 40 % of a degree can be recognised. Work experience counts for up to 6 credits.",
            "Los créditos de otra universidad se reconocen cuando coinciden tres cuartos del contenido. \
             Puede reconocerse hasta el 40 % de una titulación. La experiencia laboral cuenta hasta 6 \
             créditos.",
        ),
        keywords: "recognise recognised transfer credits convalidar convalidación reconocer otra universidad",
    },
    Article {
        number: 12,
        title: ("Studies abroad", "Estudios en el extranjero"),
        text: (
            "A stay abroad needs a learning agreement signed before departure. Courses passed as agreed \
             count without further examination. A stay lasts one or two semesters.",
            "La estancia en el extranjero necesita un acuerdo de estudios firmado antes de salir. Lo \
             aprobado según el acuerdo cuenta sin más examen. La estancia dura uno o dos semestres.",
        ),
        keywords: "erasmus abroad exchange mobility intercambio movilidad extranjero estancia",
    },
    Article {
        number: 13,
        title: ("Continuation of studies", "Permanencia"),
        text: (
            "First-year students must pass at least 12 credits to continue. Later, half of the credits \
             taken in two years must be passed. Part-time students need half of these figures.",
            "En el primer año hay que superar al menos 12 créditos para continuar. Después, la mitad de \
             los créditos cursados en dos años. Al alumnado a tiempo parcial se le exige la mitad.",
        ),
        keywords: "continue dismissal minimum progress part-time permanencia permanecer expulsado mínimo",
    },
    Article {
        number: 14,
        title: ("Internships", "Prácticas externas"),
        text: (
            "Internships need an agreement between the company and the university. They may fill at most \
             35 hours a week and must leave time for classes. An academic tutor grades the final report.",
            "Las prácticas requieren un convenio entre la empresa y la universidad. No pueden ocupar más \
             de 35 horas semanales y deben dejar tiempo para las clases. Un tutor académico califica la \
             memoria final.",
        ),
        keywords: "internship placement company hours prácticas convenio empresa horas",
    },
    Article {
        number: 15,
        title: ("Evaluation of teaching", "Evaluación de la docencia"),
        text: (
            "Students evaluate each course anonymously before its grades are published. Results are \
             public by department. A course rated below 4 two years running is revised.",
            "El alumnado evalúa cada asignatura de forma anónima antes de que se publiquen las notas. Los \
             resultados son públicos por departamento. Una asignatura valorada por debajo de 4 dos años \
             seguidos se revisa.",
        ),
        keywords: "survey evaluate teacher teaching anonymous encuesta evaluar docente docencia profesor",
    },
];
